// The kitchen as one operator: its kinds and controllers, in reading order.
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

/** All kinds of the kitchen, most important first. */
export const resources = [Order, Meal, Chef, Ingredient] as const;

/** The kitchen's controllers. */
export const controllers = (timing: Timing): readonly Controller[] => [
  pantry(timing),
  meals(timing),
  orders(),
];
