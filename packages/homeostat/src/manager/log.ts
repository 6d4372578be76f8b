// The manager's log: pino by default, or any object with the same four functions.
import type { ReconcileLog } from "../controller/define-controller.ts";

/** A log that discards everything. */
export const silentLog: ReconcileLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Creates the default log: one JSON line per message on standard error, from `level` upwards. */
export async function createPinoLog(
  options: { readonly level?: string } = {},
): Promise<ReconcileLog> {
  const { pino } = await import("pino");
  const logger = pino(
    { level: options.level ?? "info" },
    pino.destination({ dest: 2, sync: true }),
  );
  const say =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, { error, ...fields }: Readonly<Record<string, unknown>> = {}): void =>
      logger[level]({ ...fields, ...(error === undefined ? {} : { err: error }) }, message);
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
