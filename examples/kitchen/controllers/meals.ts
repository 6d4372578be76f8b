// The controller of meals: requests ingredients, waits until all are set out, and cooks. Knows its
// own ingredients and nothing of orders.
import { defineController } from "homeostat";
import { isStatusConditionTrue, parseDuration } from "homeostat/api";
import { Ingredient } from "../resources/ingredient.ts";
import { Meal } from "../resources/meal.ts";
import type { Timing } from "./timing.ts";

/** Creates the controller of meals. */
export const meals = (timing: Timing) =>
  defineController(Meal, {
    name: "meals",
    concurrency: 4,
    owns: [Ingredient],
    async reconcile({ object: meal, own, status, condition, wait, retry }) {
      const ingredients = await own(
        Ingredient,
        meal.spec.recipe.map(({ name, amount, measure }) =>
          Ingredient(`${meal.metadata.name}-${name}`, { amount, measure }),
        ),
      );
      const missing = ingredients.filter(
        ({ status: { conditions } }) => !isStatusConditionTrue(conditions, "SetOut"),
      );
      condition(
        "IngredientsReady",
        missing.length ? "False" : "True",
        missing.length ? "Missing" : "AllSetOut",
        missing.map((one) => one.metadata.name).join(", "),
      );

      const { startedAt, cookedAt } = meal.status;
      if (cookedAt) return void condition("Cooked", "True", "Done");
      if (!startedAt && missing.length) {
        condition("Cooked", "False", "WaitingForIngredients");
        return wait.for(`${missing.length} of ${ingredients.length} ingredients to be set out`);
      }

      condition("Cooked", "False", "Cooking");
      const remainingMs = startedAt
        ? timing.remainingMs(startedAt, parseDuration(meal.spec.cookFor))
        : parseDuration(meal.spec.cookFor);
      if (!startedAt) status({ startedAt: timing.now() });
      if (remainingMs > 0)
        return retry.in(remainingMs, { because: `${meal.spec.dish} is on the stove` });
      status({ cookedAt: timing.now() });
      condition("Cooked", "True", "Done");
    },
  });
