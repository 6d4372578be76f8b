// Every line with a trailing "// !" must not compile; the compiler's words are recorded beside this file.
import { defineController, defineResource, k, ref } from "homeostat";
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
