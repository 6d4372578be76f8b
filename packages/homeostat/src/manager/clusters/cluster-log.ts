// The log of one of several clusters: each line names the cluster.
import type { ReconcileLog } from "../../controller/define-controller.ts";

/** Adds the cluster to the fields of each line. */
export function clusterLog(log: ReconcileLog, cluster: string): ReconcileLog {
  const say =
    (level: keyof ReconcileLog) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void =>
      log[level](message, { cluster, ...fields });
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
