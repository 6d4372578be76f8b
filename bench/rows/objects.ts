// The objects of the rows: orders of about 1.4 KB, and their definition.
import { defineController, defineResource, k } from "homeostat";
import * as z from "zod";

const shape = {
  spec: z.object({
    table: z.int().min(1),
    chef: z.string().max(63),
    note: z.string().max(2000),
    dishes: k
      .listMap(z.object({ name: z.string().max(63), spicy: z.boolean().default(false) }), "name")
      .max(20),
  }),
  status: z.object({ cooked: z.int() }),
  conditions: ["Ready"] as const,
};

/** The kind that rows create by the thousand. */
export const Order = defineResource({
  group: "bench.example.com",
  version: "v1",
  kind: "Order",
  ...shape,
});

/** Definitions of the same shape under other names, for rows that need many. */
export const orderLike = (i: number) =>
  defineResource({ ...shape, group: `g${i}.bench.example.com`, version: "v1", kind: `Order${i}` });

const note =
  "Table by the window, allergic to nuts; please serve everything at once and bring water first. ".repeat(
    8,
  );

/** One order; the number keeps names apart and sorted. */
export const order = (i: number): ReturnType<typeof Order> =>
  Order(`order-${String(i).padStart(6, "0")}`, {
    table: (i % 90) + 1,
    chef: "ada",
    note,
    dishes: ["risotto", "salad", "soup"].map((name) => ({ name, spicy: i % 2 === 0 })),
  });

/**
 * Counts dishes and says Ready: one status apply for each order. No workers: it only watches, and
 * its one reconcile waits.
 */
export const cooks = (options: {
  readonly workers: number;
  readonly seen?: (name: string) => void;
}) =>
  defineController(Order, {
    name: "cooks",
    concurrency: Math.max(1, options.workers),
    async reconcile({ object, status, condition }) {
      if (options.workers === 0) await new Promise<never>(() => {});
      options.seen?.(object.metadata.name);
      status({ cooked: object.spec.dishes.length });
      condition("Ready", "True", "Served");
    },
  });
