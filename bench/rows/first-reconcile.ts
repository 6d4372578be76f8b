// An operator that reports its first reconcile: the child process of the start-up row.
import { createManager, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { cooks } from "./objects.ts";

const [path, namespace] = process.argv.slice(2);
const client = createClient({
  access: await loadKubeconfig({ path: path! }),
  namespace: namespace!,
});
let said = false;
const first = (): void => {
  if (!said) process.stdout.write("reconciled\n");
  said = true;
};
await createManager({
  operator: "bench",
  controllers: [cooks({ workers: 10, seen: first })],
  client,
  namespace: namespace!,
  log: silentLog,
}).start();
setInterval(() => {}, 1000);
// An orderly end, so that Node keeps what it has compiled for the next start.
process.once("SIGTERM", () => process.exit());
