// The controller of ingredients: fetches each ingredient and sets it out. Knows nothing of meals or
// orders.
import { defineController } from "homeostat";
import { Ingredient } from "../resources/ingredient.ts";
import type { Timing } from "./timing.ts";

/** Creates the controller of ingredients; fetching one takes `timing.fetchMs`. */
export const pantry = (timing: Timing) =>
  defineController(Ingredient, {
    name: "pantry",
    concurrency: 4,
    async reconcile({ object: ingredient, status, condition, retry }) {
      const { fetchedAt } = ingredient.status;
      if (!fetchedAt) {
        // Act first, record last: the moment of fetching is written down, so that a restart goes on
        // where it was.
        status({ place: "pantry", fetchedAt: timing.now() });
        condition("SetOut", "False", "Fetching", "being fetched from the pantry");
        return retry.in(timing.fetchMs, { because: "it is being fetched" });
      }
      const remainingMs = timing.remainingMs(fetchedAt, timing.fetchMs);
      if (remainingMs > 0) return retry.in(remainingMs, { because: "it is being fetched" });
      status({ place: "counter" });
      condition("SetOut", "True", "OnCounter");
    },
  });
