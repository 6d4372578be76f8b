// The kitchen as one operator: its kinds, controllers and webhooks, in reading order.
import type { Controller } from "homeostat";
import type { Client } from "homeostat/client";
import type { WebhooksOptions } from "homeostat/webhook";
import { meals } from "./controllers/meals.ts";
import { orders } from "./controllers/orders.ts";
import { pantry } from "./controllers/pantry.ts";
import type { Timing } from "./controllers/timing.ts";
import { Chef } from "./resources/chef.ts";
import { Ingredient } from "./resources/ingredient.ts";
import { Meal } from "./resources/meal.ts";
import { OrderV1 } from "./resources/order-v1.ts";
import { Order } from "./resources/order.ts";
import { oneOpenOrder } from "./webhooks/one-open-order.ts";
import { orderVersions } from "./webhooks/order-versions.ts";

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

/** Older versions; they need the conversion of {@link webhooks}. */
export const olderVersions = [OrderV1] as const;

/** The kitchen's webhooks. */
export const webhooks = (client: Client): WebhooksOptions["serve"] => [
  oneOpenOrder(client),
  orderVersions,
];
