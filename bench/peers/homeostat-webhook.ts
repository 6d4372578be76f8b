// The webhook of the row `reviews`. Arguments: kubeconfig, folder of the certificate, port. Prints
// "serving", and ends with its input.
import { createManager, defineController, silentLog } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { defineValidatingWebhook, invalid } from "homeostat/webhook";
import { Order } from "../rows/objects.ts";

const [path, folder, port] = process.argv.slice(2);

const rules = defineValidatingWebhook(Order, {
  path: "/validate",
  create({ object: { spec } }) {
    if (spec.table > 90) return invalid({ field: "spec.table", message: "there are 90 tables" });
    const names = new Set(spec.dishes.map(({ name }) => name));
    if (names.size !== spec.dishes.length)
      return invalid({ field: "spec.dishes", message: "a dish is listed twice" });
  },
});

const file = (name: string): string => `${folder}/${name}`;
const manager = createManager({
  operator: "bench",
  controllers: [defineController(ConfigMap, { name: "none", async reconcile() {} })],
  client: createClient({ access: await loadKubeconfig({ path: path! }) }),
  namespace: "default",
  log: silentLog,
  webhooks: {
    serve: [rules],
    url: `https://127.0.0.1:${port}`,
    certificates: {
      from: "files",
      cert: file("tls.crt"),
      key: file("tls.key"),
      ca: file("ca.crt"),
    },
  },
});
await manager.start();
process.stdout.write("serving\n");
process.stdin.resume();
process.stdin.on("end", () => process.exit());
