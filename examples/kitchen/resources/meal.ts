// One dish for one order: what is cooked of which ingredients (spec), and when it was started and done (status).
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";
import { amount } from "./ingredient.ts";

/** One line of a recipe. */
export const recipeLine = amount.extend({ name: k.dnsLabel() });

export const Meal = defineResource({
  ...api,
  kind: "Meal",
  spec: z.object({
    dish: z.string().max(40),
    recipe: k.listMap(recipeLine, "name").min(1).max(20),
    cookFor: k.duration(),
  }),
  status: z.object({ startedAt: k.time(), cookedAt: k.time() }),
  // Orthogonal: each says one thing, and each is written on every reconcile.
  conditions: ["IngredientsReady", "Cooked"],
  columns: { Dish: ".spec.dish", Ingredients: "condition:IngredientsReady", Cooked: "condition:Cooked" },
});
