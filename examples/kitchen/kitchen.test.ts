// Tests of the example: a dinner is cooked, an order waits for its chef, dishes are removed, tables
// are cleared.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { testCluster, type TestCluster } from "@homeostat/testing";
import type { Kind, ResourceDefinition } from "homeostat";
import { createTiming } from "./controllers/timing.ts";
import { controllers, operator, resources } from "./kitchen.ts";
import { Chef } from "./resources/chef.ts";
import { Ingredient } from "./resources/ingredient.ts";
import { Meal } from "./resources/meal.ts";
import { Order } from "./resources/order.ts";
import { applyManifests, readManifests } from "./show/apply-manifests.ts";

type StructuralSchema = ResourceDefinition["spec"];

const openKitchen = (): Promise<TestCluster> =>
  testCluster({
    operator,
    resources,
    controllers: controllers(createTiming({ fetchMs: 10, nowMs: () => Date.now() })),
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
  await cluster.client.apply(Order, Order("window", { table: 1, chef: "ada", dishes: [salad] }));
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
    Order("window", { table: 1, chef: "ada", dishes: [risotto, salad] }),
  );
  await cluster.eventually(Order, "window", (order) => order.status?.cooked === 2);
  await cluster.client.apply(Order, Order("window", { table: 1, chef: "ada", dishes: [salad] }));
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
  await cluster.client.apply(Order, Order("window", { table: 1, chef: "ada", dishes: [risotto] }));
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
  await cluster.client.apply(Order, Order("window", { table: 1, chef: "ada", dishes: [salad] }));
  await assert.rejects(
    cluster.client.apply(Order, Order("window", { table: 2, chef: "ada", dishes: [salad] })),
    /spec\.table: Invalid value: 2: immutable/,
  );
});

test("every controller has its own field manager", async () => {
  await using cluster = await openKitchen();
  await cluster.client.apply(Chef, Chef("ada", { secondsPerDish: 0 }));
  await cluster.client.apply(Order, Order("window", { table: 1, chef: "ada", dishes: [salad] }));
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
