// One replica, as its container runs it: `replica.ts KUBECONFIG NAMESPACE NAME [LEASE_SECONDS]`;
// with LEASE_SECONDS it elects. Writes a line, with the wall time in ms, for each thing it does.
import { writeSync } from "node:fs";
import { createManager } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { operator, ticks } from "./operator.ts";

const [path, namespace, identity, seconds] = process.argv.slice(2);
const say = (what: string): void => void writeSync(1, `${Date.now()} ${what}\n`);
const leaseDurationMs = Number(seconds) * 1000;
const election = {
  namespace: namespace!,
  identity: identity!,
  leaseDurationMs,
  // The proportions of controller-runtime's 15, 10 and 2 s.
  renewDeadlineMs: (leaseDurationMs * 10) / 15,
  retryPeriodMs: (leaseDurationMs * 2) / 15,
};

say("process runs");
const client = createClient({
  access: await loadKubeconfig({ path: path! }),
  namespace: namespace!,
});
const manager = createManager({
  operator,
  controllers: [ticks(() => say("reconcile"))],
  client,
  namespace,
  log: { debug() {}, info: say, warn: say, error: say },
  ...(seconds === undefined ? {} : { election }),
});
await manager.run();
await client.close();
