// The controller of orders: turns dishes into meals and follows only those meals. A change of a
// chef triggers the orders that name it; a finalizer clears the table before an order is deleted.
import { defineController, ref } from "homeostat";
import { Chef } from "../resources/chef.ts";
import { Meal } from "../resources/meal.ts";
import { Order } from "../resources/order.ts";

/** Creates the controller of orders. */
export const orders = () =>
  defineController(Order, {
    name: "orders",
    concurrency: 4,
    owns: [Meal],
    refs: { chef: ref(Chef, (order) => order.spec.chef) },
    async reconcile({ object: order, refs: { chef }, own, status, condition, wait }) {
      condition(
        "ChefFound",
        chef ? "True" : "False",
        chef ? "Found" : "NotFound",
        chef ? "" : `chef "${order.spec.chef}" does not exist`,
      );
      if (!chef) {
        condition("Ready", "False", "ChefMissing");
        return wait.forRef("chef");
      }
      const meals = await own(
        Meal,
        order.spec.dishes.map(({ name, recipe }) =>
          Meal(`${order.metadata.name}-${name}`, {
            dish: name,
            recipe: [...recipe],
            cookFor: `${chef.spec.secondsPerDish}s`,
          }),
        ),
      );
      const cooked = meals.filter((meal) => meal.status.cookedAt).length;
      const done = cooked === meals.length;
      status({ cooked, dishes: meals.length });
      condition(
        "MealsCooked",
        done ? "True" : "False",
        done ? "AllCooked" : "Cooking",
        `${cooked} of ${meals.length}`,
      );
      condition("Ready", done ? "True" : "False", done ? "Served" : "Cooking");
      if (!done) return wait.for(`${meals.length - cooked} of ${meals.length} meals to be cooked`);
    },
    async finalize({ object: order, own, log }) {
      await own(Meal, []);
      log.info(`table ${order.spec.table.number} is clear`);
    },
  });
