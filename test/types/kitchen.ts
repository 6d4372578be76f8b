// The sketch of the design, compiled: what must infer without an annotation.
import {
  all,
  defineController,
  defineResource,
  defineScope,
  index,
  type ContextOf,
  k,
  generationChanged,
  isReady,
  or,
  owned,
  ref,
  refs,
} from "homeostat";
import type { Client } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, Namespace } from "homeostat/k8s/core/v1";
import * as z from "zod";

const api = { group: "kitchen.example.com", version: "v1" } as const;

export const Chef = defineResource({
  ...api,
  kind: "Chef",
  spec: z.object({ secondsPerDish: z.int().default(30) }),
});
export const Meal = defineResource({
  ...api,
  kind: "Meal",
  spec: z.object({ dish: z.string(), cookFor: k.duration() }),
  status: z.object({ cookedAt: k.time() }),
});
export const Order = defineResource({
  ...api,
  kind: "Order",
  shortNames: ["od"],
  spec: z.object({
    table: z.int().min(1).apply(k.immutable),
    chef: z.string(),
    dishes: k
      .listMap(z.object({ name: z.string(), spicy: z.boolean().default(false) }), "name")
      .min(1)
      .max(10),
  }),
  status: z.object({ cooked: z.int() }),
  conditions: ["Ready", "ChefFound"],
  columns: { Table: ".spec.table", Ready: "condition:Ready" },
});

export const orders = defineController(Order, {
  owns: [Meal],
  refs: { chef: ref(Chef, (order) => order.spec.chef) },
  async reconcile({ object: order, refs: { chef }, own, status, condition, wait }) {
    condition("ChefFound", chef ? "True" : "False", chef ? "Found" : "NotFound");
    if (!chef) return wait.forRef("chef");
    const seconds: number = chef.spec.secondsPerDish;
    const meals = await own(
      Meal,
      order.spec.dishes.map((dish) =>
        Meal(`${order.metadata.name}-${dish.name}`, { dish: dish.name, cookFor: `${seconds}s` }),
      ),
    );
    const spicy: boolean = order.spec.dishes[0]!.spicy;
    void spicy;
    status({ cooked: meals.filter((meal) => meal.status.cookedAt).length });
  },
  async finalize({ object: order, log }) {
    log.info(order.metadata.name);
  },
});

/** Never called: compiled only. The server or the manifest names what is created. */
export async function creations(client: Client, owner: Deployment): Promise<readonly string[]> {
  const { apiVersion, kind, metadata } = owner;
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
  const generated = await client.create(Namespace, { metadata: { generateName: "test-" } });
  const named = await client.create(ConfigMap, {
    metadata: { name: "a", finalizers: ["example.com/hold"], ownerReferences },
    data: { a: "b" },
  });
  const order = await client.create(Order, {
    metadata: { generateName: "order-" },
    spec: { table: 1, chef: "ada", dishes: [] },
  });
  return [generated.metadata.name, named.metadata.name, order.metadata.name];
}

/** Never called: compiled only. */
export function builtInsAndSplitReconciles(): unknown {
  const builtIns = defineController(Order, {
    owns: [ConfigMap, Deployment, Meal],
    refs: {
      chefs: refs(Chef, (o) => o.spec.dishes.map((d) => d.name)),
      boss: ref(Chef, (o) => ({ namespace: "hq", name: o.spec.chef })),
    },
    async reconcile({ own, refs: found }) {
      const deployments = await own(Deployment, [
        Deployment("a", { spec: { selector: {}, template: {} } }),
      ]);
      const maps = await own(ConfigMap, [
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } },
      ]);
      const ready: number | undefined = deployments[0]?.status?.readyReplicas;
      void [
        ready,
        maps[0]?.data?.["a"],
        found.chefs[0]?.spec.secondsPerDish.toFixed(),
        found.boss?.spec.secondsPerDish.toFixed(),
      ];
    },
  });
  const scope = defineScope(Order, { owns: [Meal], refs: { chef: ref(Chef, (o) => o.spec.chef) } });
  type Ctx = ContextOf<typeof scope>;
  const cook = async ({ object, own, refs: { chef } }: Ctx): Promise<number> =>
    (await own(Meal, [])).length + (chef?.spec.secondsPerDish ?? 0) + object.spec.table;
  const scoped = scope.controller({
    async reconcile(context) {
      context.status({ cooked: await cook(context) });
    },
  });
  const reordered = defineController(Order, {
    async reconcile({ refs: { a, b }, wait }) {
      void [a?.spec.secondsPerDish.toFixed(), b?.spec.secondsPerDish.toFixed()];
      return wait.forRef("a");
    },
    refs: { a: ref(Chef, ({ spec }) => spec.chef), b: ref(Chef, (o) => o.spec.chef) },
  });
  return [builtIns, scoped, reordered];
}

/** Never called: compiled only. */
export function watchesAndCachedReads(): unknown {
  const board = defineController(Chef, {
    watches: {
      orders: all(Order, {
        namespace: (chef) => chef.metadata.namespace,
        labels: (chef) => ({ chef: chef.metadata.name }),
        fields: { "spec.table": "1" },
        when: (old, { generation }) => old.generation !== generation,
      }),
      maps: all(ConfigMap, { labels: "app in (a,b)" }),
    },
    refs: {
      meals: refs(Meal, (chef) => ({
        labels: { matchLabels: { seconds: chef.spec.secondsPerDish.toFixed() } },
      })),
    },
    indexes: { byChef: index(Order, (order) => [order.spec.chef]) },
    async reconcile({ object, watches, refs: { meals }, cache, wait }) {
      const tables: readonly number[] = watches.orders.map(({ spec }) => spec.table);
      const data: string | undefined = watches.maps[0]?.data?.["a"];
      const dish: string | undefined = meals[0]?.spec.dish;
      const mine: readonly string[] = cache
        .byIndex("byChef", object.metadata.name)
        .map((order) => order.spec.chef);
      const cooked: number | undefined = cache.get(Order, "a")?.status.cooked;
      const all = cache.list(Meal, { namespace: "" }).map((meal) => meal.spec.dish);
      void [tables, data, dish, mine, cooked, all];
      return wait.forRef("meals");
    },
  });
  const scope = defineScope(Chef, { watches: { orders: all(Order) } });
  const count = ({ watches }: ContextOf<typeof scope>): number => watches.orders.length;
  const scoped = scope.controller({
    async reconcile(context) {
      context.log.info(String(count(context)));
    },
  });
  const reordered = defineController(Chef, {
    async reconcile({ watches: { orders: found } }) {
      void found[0]?.spec.chef;
    },
    watches: { orders: all(Order, { namespace: ({ metadata }) => metadata.namespace }) },
  });
  return [board, scoped, reordered];
}

/** Never called: compiled only. */
export function predicates(): unknown {
  return defineController(Order, {
    owns: [owned(Meal, { when: (old, meal) => old.read().spec.dish !== meal.read().spec.dish })],
    refs: {
      chef: ref(Chef, (order) => order.spec.chef, {
        when: (old, chef) => old.read().spec.secondsPerDish < chef.read().spec.secondsPerDish,
      }),
    },
    when: or(generationChanged, (old, order) => old.read().spec.table !== order.read().spec.table),
    async reconcile({ own, condition }) {
      const [meal] = await own(Meal, []);
      condition("Ready", isReady(Meal, meal) ? "True" : "False", "Cooked");
    },
  });
}
