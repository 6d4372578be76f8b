// The order of one table: the dishes and the chef. An order knows its meals, and nothing of their
// ingredients.
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";
import { recipeLine } from "./meal.ts";

export const Order = defineResource({
  ...api,
  kind: "Order",
  shortNames: ["od"],
  // Meals are called <order>-<dish> and ingredients <order>-<dish>-<ingredient>: the names must
  // leave room.
  name: k.name({ maxLength: 40 }),
  spec: z.object({
    table: z
      .int()
      .min(1)
      .describe("The number of the table; cannot be changed.")
      .apply(k.immutable),
    chef: z
      .string()
      .max(63)
      .describe("The name of the Chef who cooks; the order waits until there is one."),
    dishes: k
      .listMap(
        z.object({
          name: k.dnsLabel().describe("The dish; its Meal is called after order and dish."),
          recipe: k
            .listMap(recipeLine, "name")
            .min(1)
            .max(20)
            .describe("What the dish is made of."),
        }),
        "name",
      )
      .min(1)
      .max(10)
      .describe("What the guests want; each dish becomes a Meal."),
  }),
  status: z.object({
    cooked: z.int().min(0).describe("Dishes that are done."),
    dishes: z.int().min(0).describe("Dishes that were ordered."),
  }),
  conditions: ["ChefFound", "MealsCooked", "Ready"],
  columns: {
    Table: ".spec.table",
    Chef: ".spec.chef",
    Cooked: ".status.cooked",
    Dishes: ".status.dishes",
    Ready: "condition:Ready",
  },
});
