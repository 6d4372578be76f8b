// The dinner in simulated worlds: whatever happens to the kitchen while an order is cooked and
// taken back, it ends as it should.
import assert from "node:assert/strict";
import { test } from "node:test";
import { scenario } from "@homeostat/testing";
import { createTiming } from "./controllers/timing.ts";
import { controllers, operator, resources } from "./kitchen.ts";
import { Chef } from "./resources/chef.ts";
import { Order } from "./resources/order.ts";

const salad = {
  name: "salad",
  recipe: [{ name: "lettuce", amount: 1, measure: "piece" as const }],
};

const dinner = scenario(
  "dinner",
  {
    operator,
    resources,
    controllers: () => controllers(createTiming({ fetchMs: 10, nowMs: () => Date.now() })),
    controlPlane: "none", // the kitchen clears its tables itself
  },
  async ({ client, converge }) => {
    await client.create(Chef, Chef("ada", { secondsPerDish: 1 }));
    await client.create(
      Order,
      Order("window", { table: { number: 1 }, chef: "ada", dishes: [salad] }),
    );
    await converge();
    await client.delete(Order, "window");
  },
);

test("the dinner is served and cleared, whatever happens to the kitchen", async () => {
  const { text } = await dinner.sweep();
  assert.match(text, /^dinner: \d+ states, all converge$/);
});
