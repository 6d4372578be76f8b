// Every line with a trailing "// !" must not compile; the compiler's words are recorded beside this file.
import { all, createManager, defineController, defineResource, fieldsOf, index, isReady, k, metadataOf, owned, ref, refs } from "homeostat";
import type { Decoded } from "homeostat/api";
import type { Client } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, Namespace, Pod, Service } from "homeostat/k8s/core/v1";
import { RoleBinding } from "homeostat/k8s/rbac/v1";
import * as z from "zod";
import { Chef, Meal, Order } from "../kitchen.ts";

export const a = defineController(Order, { owns: [Meal], refs: { chef: ref(Chef, (o) => o.spec.chef) },
  async reconcile({ object, own, status, condition, wait }) {
    condition("Raedy", "True", "X"); // !
    status({ cookd: 1 }); // !
    status({ cooked: "1" }); // !
    object.spec.table = 3; // !
    object.spec.dishes.push({ name: "x", spicy: true }); // !
    object.status.conditions?.find((c) => c.type === "Redy"); // !
    await own(Chef, []); // !
    await own(Meal, [Meal("x", { dish: "a" })]); // !
    await own(Meal, [Chef("x", {})]); // !
    return wait.forRef("cheff"); // !
  } });
export const b = defineController(Order, { refs: { chef: ref(Chef, (o) => o.spec.cheff) }, async reconcile({ refs }) { refs.chef?.spec.secondsPerDish.toFixed(); } }); // !
export const c = defineController(Order, { async reconcile({ refs: { chef }, own }) { chef?.spec.secondsPerDish.toFixed(); await own(Meal, []); }, owns: [Meal], refs: { chef: ref(Chef, (o) => o.spec.chef) } });
export const d = defineController(Chef, { async reconcile({ own, status, condition }) {
  await own(Meal, []); // !
  status({ x: 1 }); // !
  condition("Ready", "True", "R"); // !
} });
export const E1 = defineResource({ group: "g.example.com", version: "v1", kind: "E", spec: z.object({ a: z.string() }), conditions: ["Ready"], columns: {
  R: "condition:Redy", // !
  S: "spec.a" } }); // !
export const F1 = defineResource({ group: "g.example.com", version: "v1", kind: "F", spec: z.object({ a: k.listMap(z.object({ name: z.string() }), "nme") }) }); // !
export const G1 = defineResource({ group: "g.example.com", version: "v1", kind: "G",
  spec: z.object({ at: z.string().transform((s) => new Date(s)), n: z.date() }) }); // !
export const G2 = defineResource({ group: "g.example.com", version: "v1", kind: "G",
  spec: z.object({ n: z.date() }) }); // !
export const h = defineController(Order, { async reconcile({ object }) { const n: number = object.status.cooked; void n; } }); // !
export const i = defineController(Order, { async reconcile() { return { requeueAfter: 5 }; } }); // !
export const j = defineController(Order, { own: [Meal], async reconcile() {} }); // !
export const l = defineController(Order, { owns: [ConfigMap, Deployment], async reconcile({ own, client }) {
  const [deployment] = await own(Deployment, [Deployment("a", { spec: { selector: {}, template: {} } })]);
  if (!deployment) return;
  deployment.spec.replcas; // !
  const replicas: string = deployment.spec.replicas; // !
  deployment.spec.replicas = 3; // !
  deployment.spec.template.spec?.containers.push({ name: "x" }); // !
  deployment.apiVersion === "apps/v1beta1"; // !
  await own(ConfigMap, [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, dta: {} }]); // !
  await own(ConfigMap, [Deployment("a", { spec: { selector: {}, template: {} } })]); // !
  await own(Pod, []); // !
  void [replicas, client];
} });
export const m = [
  ConfigMap("a", { data: { a: 1 } }), // !
  ConfigMap("a", { spec: {} }), // !
  Deployment("a", { spec: { selector: {}, template: {}, replicas: "3" } }), // !
  Deployment("a", { spec: { template: {} } }), // !
  Deployment("a", { status: {} }), // !
  Pod("a", { spec: { containers: [{ name: "a", imagePullPolicy: "Sometimes" }] } }), // !
  RoleBinding("a"), // !
];
export async function n(client: Client, decoded: Decoded<Deployment>) {
  (await client.get(Service, "a")).spec.clusterIp; // !
  await client.create(Service, { apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { prts: [] } }); // !
  await client.create(Namespace, { metadata: { labels: { a: "b" } } }); // !
  await client.create(Namespace, { metadata: { generateName: "a-", finalizer: [] } }); // !
  await client.apply(Namespace, { metadata: { generateName: "a-" } }); // !
  const replicas: number = decoded.spec?.replicas; // !
  const name: string = decoded.metadata?.name; // !
  return [replicas, name, decoded.spec?.template?.spec?.containers?.[0]?.imge]; // !
}
export const o = defineController(Deployment, { async reconcile({ status, condition }) {
  status({ replcas: 1 }); // !
  condition("Available", "True", "R"); // !
} });
export const p = defineController(ConfigMap, { async reconcile({ status }) {
  status({}); // !
} });
export const watching = defineController(Order, { watches: { meals: all(Meal, { labels: (o) => ({ table: String(o.spec.table) }) }) }, indexes: { byDish: index(Meal, (meal) => [meal.spec.dish]) },
  async reconcile({ watches, cache }) {
    watches.meal; // !
    watches.meals[0]?.spec.dsh; // !
    watches.meals.push(); // !
    cache.get(Chef, "a"); // !
    cache.list(Chef); // !
    cache.get(Meal, "a")?.spec.dsh; // !
    cache.byIndex("byDsh", "a"); // !
    cache.byIndex("byDish", "a")[0]?.spec.dsh; // !
  } });
export const unwatched = defineController(Order, { async reconcile({ watches, cache }) {
  watches.meals; // !
  cache.byIndex("byDish", "a"); // !
} });
export const selecting = defineController(Order, { watches: {
  a: all(Meal, { namespace: (order) => order.spec.chf }), // !
  b: all(Meal, { labels: (order) => ({ table: order.spec.table }) }), // !
  c: all(Meal, { label: "a=b" }), // !
}, async reconcile() {} });
export const indexing = defineController(Order, { owns: [Meal], indexes: { byDish: index(Meal, (meal) => [meal.spec.dsh]) }, async reconcile() {} }); // !
export const refsSelecting = defineController(Order, { refs: { meals: refs(Meal, (order) => ({ label: order.spec.chef })) }, async reconcile() {} }); // !
export const refSelecting = defineController(Order, { refs: { meal: ref(Meal, () => ({ labels: { a: "b" } })) }, async reconcile() {} }); // !
export const fieldsRead = defineController(Order, { refs: { chef: ref(fieldsOf(Chef, "spec"), (o) => o.spec.chef) }, async reconcile({ refs: { chef } }) { chef?.metadata.labels; chef?.spec; chef?.status; } }); // !
export const fieldsPaths = [
  fieldsOf(Order, "spec.table", "status.conditions", "spec.dishes"),
  fieldsOf(Order, "spec.tabel"), // !
  fieldsOf(Order, "spec.table", "metadata.labels"), // !
  fieldsOf(Order, "spec.dishes.name"), // !
];
export const fieldsWatched = defineController(Order, { watches: { meals: all(fieldsOf(Meal, "spec.dish")) }, async reconcile({ watches: { meals }, cache }) {
  for (const meal of meals) { meal.spec.dish; meal.metadata.name; meal.spec.dish.length; }
  meals[0]?.spec.cookFor; // !
  meals[0]?.status; // !
  cache.get(Meal, "a"); // !
} });
export const fieldsOwned = defineController(Order, { owns: [fieldsOf(Meal, "spec.dish")], async reconcile({ own }) {
  await own(fieldsOf(Meal, "spec.dish"), [Meal("a", { dish: "soup", cookFor: "1m" })]); // !
} });
export const metadataRead = defineController(Order, { refs: { chef: ref(metadataOf(Chef), (o) => o.spec.chef) }, async reconcile({ refs: { chef } }) { chef?.metadata.labels; chef?.spec; } }); // !
export const prioritised = [
  defineController(Order, { priority: ({ object }) => object.read().spec.tabel, async reconcile() {} }), // !
  defineController(Order, { priority: ({ object }) => object.read().spec.chef, async reconcile() {} }), // !
  defineController(Order, { priority: ({ object }) => object.read().spec.table, async reconcile() {} }),
  defineController(Order, { fairBy: "name", async reconcile() {} }), // !
  defineController(Order, { retryRate: { qps: 10 }, async reconcile() {} }), // !
];
declare const someClient: Client;
export const managers = [
  createManager({ operator: "o", controllers: [] }), // !
  createManager({ operator: "o", controllers: [], client: someClient, clusters: { eu: someClient } }), // !
  createManager({ operator: "o", controllers: [], clusters: { eu: "https://eu" } }), // !
  createManager({ operator: "o", controllers: [], clusters: { eu: someClient } }),
  createManager({ operator: "o", controllers: [], async *clusters() { yield { eu: someClient }; } }),
  createManager({ operator: "o", controllers: [], async *clusters() { yield someClient; } }), // !
];
export const predicates = [
  defineController(Order, { when: (old, order) => old.read().spec.tabel !== order.read().spec.table, async reconcile() {} }), // !
  defineController(Order, { owns: [owned(Meal, { when: (_, meal) => meal.read().spec.dsh === "" })], async reconcile() {} }), // !
  defineController(Order, { refs: { chef: ref(Chef, (order) => order.spec.chef, { when: (_, chef) => chef.read().spec.seconds > 1 }) }, async reconcile() {} }), // !
];
export const ready = isReady(Meal, { spec: { dish: 1 } }); // !
export const leftOut = defineController(Order, { owns: [Meal], async reconcile({ object, own }) {
  const isBig = object.spec.table > 1;
  const spec = { dish: "a", cookFor: "1s" };
  await own(Meal, [isBig && Meal("x", spec), isBig ? Meal("y", spec) : undefined, null, isBig && { apiVersion: "kitchen.example.com/v1alpha1", kind: "Meal", metadata: { name: "x" }, spec }]);
  await own(Meal, [isBig && Meal("x", { dish: "a" })]); // !
  await own(Meal, [isBig && { metadata: { name: "x" }, spec, extra: 1 }]); // !
  await own(Meal, [isBig ? { metadata: { name: "x" }, spec: { ...spec, dsh: "a" } } : undefined]); // !
  await own(Meal, [isBig && Chef("x", {})]); // !
  await own(Meal, [isBig]); // !
  await own(Meal, undefined); // !
} });
