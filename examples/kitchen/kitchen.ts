// The kitchen as one operator: its kinds and its controllers, in the order in which to read them.
import type { Controller } from "homeostat";
import { meals } from "./controllers/meals.ts";
import { orders } from "./controllers/orders.ts";
import { pantry } from "./controllers/pantry.ts";
import type { Timing } from "./controllers/timing.ts";
import { Chef } from "./resources/chef.ts";
import { Ingredient } from "./resources/ingredient.ts";
import { Meal } from "./resources/meal.ts";
import { Order } from "./resources/order.ts";

/** The operator's name: field managers are `kitchen/<controller>`. */
export const operator = "kitchen";

/** Everything that the kitchen defines, what guests ask about first. */
export const resources = [Order, Meal, Chef, Ingredient] as const;

/** The kitchen's controllers. */
export const controllers = (timing: Timing): readonly Controller[] => [
  pantry(timing),
  meals(timing),
  orders(),
];
