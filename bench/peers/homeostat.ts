// The operator of the rows beside other frameworks. Arguments: kubeconfig, namespace, workers,
// number of objects. Prints "synced", "first" at its first reconcile, and "done" once the status of
// all objects is written. On each line of input it prints the bytes of its live heap.
import { createManager, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { settledMemory } from "../measure/process-usage.ts";
import { cooks } from "../rows/objects.ts";

const [path, namespace, workers, count] = process.argv.slice(2);
const seen = new Set<string>();
const manager = createManager({
  operator: "bench",
  controllers: [
    cooks({
      workers: Number(workers),
      seen(name) {
        if (seen.size === 0) process.stdout.write("first\n");
        seen.add(name);
      },
    }),
  ],
  client: createClient({
    access: await loadKubeconfig({ path: path! }),
    namespace: namespace!,
  }),
  namespace: namespace!,
  log: silentLog,
});
await manager.start();
process.stdout.write("synced\n");
process.stdin.on("data", () => process.stdout.write(`${settledMemory()}\n`));
process.stdin.on("end", () => process.exit());
const waiting = setInterval(() => {
  if (seen.size < Number(count) || !manager.isIdle()) return;
  clearInterval(waiting);
  process.stdout.write("done\n");
}, 20);
