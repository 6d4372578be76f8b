// One dish of one order: its recipe (spec), and when it was started and done (status).
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";
import { amount } from "./ingredient.ts";

/** One line of a recipe. */
export const recipeLine = amount.extend({ name: k.dnsLabel().describe("The ingredient.") });

export const Meal = defineResource({
  ...api,
  kind: "Meal",
  spec: z.object({
    dish: z.string().max(40).describe("What is cooked."),
    recipe: k
      .listMap(recipeLine, "name")
      .min(1)
      .max(20)
      .describe("What it is made of; each line becomes an Ingredient."),
    cookFor: k
      .duration()
      .describe("How long it cooks once all ingredients are set out, e.g. 1.5s."),
  }),
  status: z.object({
    startedAt: k.time().describe("When cooking began."),
    cookedAt: k.time().describe("When the dish was done."),
  }),
  // Orthogonal: each says one thing, and each is written on every reconcile.
  conditions: ["IngredientsReady", "Cooked"],
  columns: {
    Dish: ".spec.dish",
    Ingredients: "condition:IngredientsReady",
    Cooked: "condition:Cooked",
  },
});
