// The operator of the rows on @kubernetes/client-node: its informer and its API classes, and a
// queue of keys with workers, which it does not have. Arguments and output: see ../homeostat.ts.
import {
  ADD,
  CustomObjectsApi,
  ERROR,
  KubeConfig,
  makeInformer,
  UPDATE,
} from "@kubernetes/client-node";

const [path, namespace, workers, count] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(path);
const api = config.makeApiClient(CustomObjectsApi);
const kind = { group: "bench.example.com", version: "v1", namespace, plural: "orders" };
const list = () => api.listNamespacedCustomObject(kind);
const informer = makeInformer(
  config,
  `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}`,
  list,
);
const queued = new Set();
const idle = [];
const say = (what) => process.stdout.write(`${what}\n`);
let left = Number(count);
let hasBegun = false;

const nameOf = (order) => order.metadata.name;
informer.on(ADD, (order) => add(nameOf(order)));
informer.on(UPDATE, (order) => add(nameOf(order)));
informer.on(ERROR, () => void setTimeout(() => void informer.start(), 1000));

function add(name) {
  queued.add(name);
  idle.pop()?.();
}

async function work() {
  for (;;) {
    const [name] = queued;
    if (name === undefined) {
      await new Promise((resolve) => idle.push(resolve));
      continue;
    }
    queued.delete(name);
    await reconcile(name);
  }
}

async function reconcile(name) {
  if (!hasBegun) say("first");
  hasBegun = true;
  const order = informer.get(name, namespace);
  if (!order) return;
  const { generation } = order.metadata;
  const [before] = order.status?.conditions ?? [];
  const cooked = order.spec.dishes.length;
  if (order.status?.cooked === cooked && before?.observedGeneration === generation) return;
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  const condition = {
    type: "Ready",
    status: "True",
    reason: "Served",
    message: "",
    lastTransitionTime: before?.lastTransitionTime ?? now,
    observedGeneration: generation,
  };
  const status = { cooked, conditions: [condition], observedGeneration: generation };
  await api.replaceNamespacedCustomObjectStatus({ ...kind, name, body: { ...order, status } });
  if (--left === 0) say("done");
}

await informer.start();
say("synced");
for (let worker = 0; worker < Number(workers); worker++) void work();
process.stdin.on("data", () => {
  for (let i = 0; i < 3; i++) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  say(heapUsed + external);
});
process.stdin.on("end", () => process.exit());
