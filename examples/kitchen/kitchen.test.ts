// Tests of the example: a dinner is cooked, an order waits for its chef, dishes are removed, tables
// are cleared; webhooks refuse and convert.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startApiServer } from "@homeostat/apiserver";
import { testCluster, type TestCluster } from "@homeostat/testing";
import {
  createManager,
  installDefinitions,
  type Kind,
  type ResourceDefinition,
  silentLog,
} from "homeostat";
import { createClient } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { conversionLoss } from "homeostat/webhook";
import { createTiming } from "./controllers/timing.ts";
import { controllers, olderVersions, operator, resources, webhooks } from "./kitchen.ts";
import { Chef } from "./resources/chef.ts";
import { Ingredient } from "./resources/ingredient.ts";
import { Meal } from "./resources/meal.ts";
import { OrderV1 } from "./resources/order-v1.ts";
import { Order } from "./resources/order.ts";
import { orderVersions } from "./webhooks/order-versions.ts";
import { applyManifests, readManifests } from "./show/apply-manifests.ts";

type StructuralSchema = ResourceDefinition["spec"];

const cooks = () => controllers(createTiming({ fetchMs: 10, nowMs: () => Date.now() }));
const openKitchen = (): Promise<TestCluster> =>
  testCluster({
    operator,
    resources: [...resources, ...olderVersions],
    controllers: cooks(),
    webhooks,
  });
const risotto = {
  name: "risotto",
  recipe: [
    { name: "rice", amount: 300, measure: "g" as const },
    { name: "stock", amount: 900, measure: "ml" as const },
  ],
};
const salad = {
  name: "salad",
  recipe: [{ name: "lettuce", amount: 1, measure: "piece" as const }],
};
const isTrue = (
  object: {
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  },
  type: string,
): boolean =>
  object.status?.conditions?.some((one) => one.type === type && one.status === "True") ?? false;
const names = async (cluster: TestCluster, kind: Kind): Promise<string[]> =>
  (await cluster.client.list(kind)).items
    .map((one: { metadata: { name: string } }) => one.metadata.name)
    .toSorted();

test("the whole dinner of the manifests becomes ready", async () => {
  await using cluster = await openKitchen();
  const manifests = await readManifests(join(import.meta.dirname, "manifests", "dinner.yaml"));
  const quick = manifests.map((one) =>
    one.kind === "Chef" ? { ...one, spec: { secondsPerDish: 0.05 } } : one,
  );
  await applyManifests(cluster.client, quick);
  for (const name of ["window", "corner", "terrace"])
    await cluster.eventually(Order, name, (order) => isTrue(order, "Ready"));
  const window = await cluster.client.get(Order, "window");
  assert.deepEqual([window.status.cooked, window.status.dishes], [2, 2]);
  assert.equal(
    (await cluster.client.list(Ingredient)).items.every((one) => one.status.place === "counter"),
    true,
  );
});

test("an order waits for its chef, says so, and goes on when the chef appears", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [salad] }),
  );
  const waiting = await cluster.eventually(
    Order,
    "window",
    (order) =>
      order.status?.conditions?.some((one) => one.type === "ChefFound" && one.status === "False") ??
      false,
  );
  assert.equal(
    waiting.status.conditions?.find((one) => one.type === "ChefFound")?.message,
    'chef "ada" does not exist',
  );
  await cluster.settle();
  assert.deepEqual(cluster.states().find((state) => state.kind === "Order")?.progress, {
    at: "waiting",
    what: 'Chef "ada"',
  });
  assert.deepEqual(await names(cluster, Meal), []);
  await cluster.client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.eventually(Order, "window", (order) => isTrue(order, "Ready"));
});

test("a dish that is taken off the order takes its meal and ingredients with it", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [risotto, salad] }),
  );
  await cluster.eventually(Order, "window", (order) => order.status?.cooked === 2);
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [salad] }),
  );
  await cluster.eventually(
    Order,
    "window",
    (order) => order.status.dishes === 1 && isTrue(order, "Ready"),
  );
  await until(async () => (await names(cluster, Ingredient)).join() === "window-salad-lettuce");
  assert.deepEqual(await names(cluster, Meal), ["window-salad"]);
});

test("the finalizer clears the table before the order goes, and everything goes with it", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [risotto] }),
  );
  const order = await cluster.eventually(Order, "window", (one) => isTrue(one, "Ready"));
  assert.deepEqual(order.metadata.finalizers, ["kitchen.example.com/kitchen.orders"]);
  await cluster.client.delete(Order, "window");
  await until(async () => (await cluster.client.find(Order, "window")) === undefined);
  await until(
    async () =>
      (await names(cluster, Ingredient)).length === 0 && (await names(cluster, Meal)).length === 0,
  );
});

test("a change of an order's table is refused with a reason", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [salad] }),
  );
  await assert.rejects(
    cluster.client.apply(
      Order,
      Order("window", { table: { number: 2 }, chef: "ada", dishes: [salad] }),
    ),
    /spec\.table\.number: Invalid value: 2: immutable/,
  );
});

test("a table has one open order at a time; few dishes for many guests are a warning", async () => {
  await using cluster = await openKitchen();
  const warnings: string[] = [];
  const client = cluster.client.with({ warned: (text) => void warnings.push(text) });
  const at = (number: number, guests?: number) => ({
    table: guests === undefined ? { number } : { number, guests },
    chef: "ada",
    dishes: [salad],
  });
  await client.apply(Order, Order("first", at(1)));
  await assert.rejects(
    client.apply(Order, Order("second", at(1))),
    /Order\.kitchen\.example\.com "second" is invalid: spec\.table\.number: table 1 has an open order, "first"/,
  );
  assert.deepEqual(warnings, []);
  await client.apply(Order, Order("third", at(2, 3)));
  assert.deepEqual(warnings, ["3 guests share 1 dishes"]);
  await client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.eventually(Order, "first", (order) => isTrue(order, "Ready"));
  await client.apply(Order, Order("second", at(1)));
});

test("clients of v1 read and write orders of v2 and lose nothing", async () => {
  await using cluster = await openKitchen();
  const { client } = cluster;
  const table = { number: 1, guests: 4 };
  const made = await client.create(Order, Order("window", { table, chef: "ada", dishes: [salad] }));
  await cluster.settle();
  const old = await client.get(OrderV1, "window");
  assert.equal(old.spec.table, 1);
  await client.update(OrderV1, { ...old, spec: { ...old.spec, chef: "bruno" } });
  const { spec, metadata } = await client.get(Order, "window");
  assert.deepEqual([spec.table, spec.chef, metadata.annotations ?? {}], [table, "bruno", {}]);
  assert.deepEqual(conversionLoss(orderVersions, { ...made, metadata: { annotations: {} } }), []);
  assert.deepEqual(conversionLoss(orderVersions, { ...old }), []);
});

test("orders stored as v1 are cooked, and one command migrates them", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "kitchen-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const kubeconfigPath = join(folder, "kubeconfig");
  const server = await startApiServer({ kubeconfigPath });
  t.after(() => server.close());
  const client = createClient({ transport: server.transport(), fieldManager: operator });
  await installDefinitions(client, [OrderV1, Meal, Chef, Ingredient]);
  await client.create(OrderV1, OrderV1("window", { table: 1, chef: "ada", dishes: [salad] }));
  await client.create(Chef, Chef("ada", { secondsPerDish: 0 }));
  await installDefinitions(client, [...resources, ...olderVersions]);
  const manager = createManager({
    operator,
    client,
    controllers: cooks(),
    log: silentLog,
    webhooks: { serve: webhooks(client), url: "https://127.0.0.1", port: 0 },
  });
  t.after(() => manager.stop());
  await manager.start();
  await until(async () => isTrue(await client.get(Order, "window"), "Ready"));
  assert.deepEqual((await client.get(Order, "window")).spec.table, { number: 1 });
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, "../../packages/cli/bin/homeostat.js"),
    ...["storage-versions", "--migrate", "--kubeconfig", kubeconfigPath],
  ]);
  assert.match(stdout, /orders\.kitchen\.example\.com/);
  const { status } = await client.get(CustomResourceDefinition, "orders.kitchen.example.com");
  assert.deepEqual(status?.storedVersions, ["v2"]);
});

test("every controller has its own field manager", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.client.apply(
    Order,
    Order("window", { table: { number: 1 }, chef: "ada", dishes: [salad] }),
  );
  await cluster.eventually(Order, "window", (one) => isTrue(one, "Ready"));
  const meal = await cluster.client.get(Meal, "window-salad");
  const managers = (
    meal.metadata as { managedFields?: { manager: string; subresource?: string }[] }
  ).managedFields?.map((one) => `${one.manager} ${one.subresource ?? ""}`.trim());
  assert.deepEqual(managers?.toSorted(), ["kitchen/meals status", "kitchen/orders"]);
});

test("kubectl explain teaches every field of a spec", () => {
  const bare = (schema: StructuralSchema, path: string): readonly string[] => [
    ...(schema.description === undefined && path.includes(".") && !path.endsWith("[]")
      ? [path]
      : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
      bare(field, `${path}.${name}`),
    ),
    ...(schema.items ? bare(schema.items as StructuralSchema, `${path}[]`) : []),
  ];
  assert.deepEqual(
    resources.flatMap(({ definition }) => bare(definition.spec, definition.kind)),
    [],
  );
});

async function until(test: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 10_000;
  while (!(await test())) {
    assert.ok(performance.now() < end, "it never happened");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
