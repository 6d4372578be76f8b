// What guests of one table want, and from whom. The order knows its meals, and nothing of what they are made of.
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";
import { recipeLine } from "./meal.ts";

export const Order = defineResource({
  ...api,
  kind: "Order",
  shortNames: ["od"],
  // Meals are called <order>-<dish> and ingredients <order>-<dish>-<ingredient>: the names must leave room.
  name: k.name({ maxLength: 40 }),
  spec: z.object({
    table: z.int().min(1).apply(k.immutable),
    chef: z.string().max(63),
    dishes: k
      .listMap(z.object({ name: k.dnsLabel(), recipe: k.listMap(recipeLine, "name").min(1).max(20) }), "name")
      .min(1)
      .max(10),
  }),
  status: z.object({ cooked: z.int().min(0), dishes: z.int().min(0) }),
  conditions: ["ChefFound", "MealsCooked", "Ready"],
  columns: { Table: ".spec.table", Chef: ".spec.chef", Cooked: ".status.cooked", Dishes: ".status.dishes", Ready: "condition:Ready" },
});
