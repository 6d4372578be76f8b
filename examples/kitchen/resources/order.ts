// The order of one table: the dishes and the chef. An order knows its meals, and nothing of their
// ingredients. Version v2, the stored one; order-v1.ts has the version before it.
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";
import { recipeLine } from "./meal.ts";

/** What both versions have alike. */
export const order = {
  ...api,
  kind: "Order",
  shortNames: ["od"],
  // Meals are called <order>-<dish> and ingredients <order>-<dish>-<ingredient>: the names must
  // leave room.
  name: k.name({ maxLength: 40 }),
} as const;

/** Fields of the spec that both versions have alike. */
export const orderFields = {
  chef: z
    .string()
    .max(63)
    .describe("The name of the Chef who cooks; the order waits until there is one."),
  dishes: k
    .listMap(
      z.object({
        name: k.dnsLabel().describe("The dish; its Meal is called after order and dish."),
        recipe: k.listMap(recipeLine, "name").min(1).max(20).describe("What the dish is made of."),
      }),
      "name",
    )
    .min(1)
    .max(10)
    .describe("What the guests want; each dish becomes a Meal."),
};

/** The number of a table. */
export const tableNumber = z
  .int()
  .min(1)
  .describe("The number of the table; cannot be changed.")
  .apply(k.immutable);

/** Status, conditions and columns that both versions have alike. */
export const orderStatus = {
  status: z.object({
    cooked: z.int().min(0).describe("Dishes that are done."),
    dishes: z.int().min(0).describe("Dishes that were ordered."),
  }),
  conditions: ["ChefFound", "MealsCooked", "Ready"],
} as const;

/** Columns after that of the table. */
export const orderColumns = {
  Chef: ".spec.chef",
  Cooked: ".status.cooked",
  Dishes: ".status.dishes",
  Ready: "condition:Ready",
} as const;

export const Order = defineResource({
  ...order,
  version: "v2",
  spec: z.object({
    table: z
      .object({
        number: tableNumber,
        guests: z.int().min(1).max(20).optional().describe("How many sit there."),
      })
      .describe("Where the dishes go."),
    ...orderFields,
  }),
  ...orderStatus,
  columns: { Table: ".spec.table.number", Guests: ".spec.table.guests", ...orderColumns },
});
