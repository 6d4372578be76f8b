// The controller of a measurement, in a process of its own. Arguments: kubeconfig, namespace,
// number of further kinds. Sends its readiness to its parent whenever it changes, the first time
// once it has started.
import { createManager, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { widgets } from "./widgets.ts";

const [path, namespace, further] = process.argv.slice(2);
const manager = createManager({
  operator: "faults",
  controllers: [widgets(Number(further))],
  client: createClient({
    access: await loadKubeconfig({ path: path! }),
    namespace: namespace!,
    userAgent: "measured",
  }),
  namespace: namespace!,
  log: silentLog,
});
await manager.start();
let last = "";
const report = (): void => {
  const { ready, reasons } = manager.readiness();
  const now = `${ready}`;
  if (now === last) return;
  last = now;
  process.send!({ at: Date.now(), ready, reasons });
};
report();
setInterval(report, 100);
process.on("disconnect", () => process.exit());
