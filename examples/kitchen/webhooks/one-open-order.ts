// A table has one open order at a time. A rule in the schema sees only its own object; a webhook
// may ask for others.
import { isStatusConditionTrue } from "homeostat/api";
import type { Client } from "homeostat/client";
import { defineValidatingWebhook, invalid } from "homeostat/webhook";
import { Order } from "../resources/order.ts";

/** Creates the webhook. */
export const oneOpenOrder = (client: Client) =>
  defineValidatingWebhook(Order, {
    permissions: [{ kind: Order, verbs: ["list"] }],
    async create({ object: order, request, warn }) {
      const { number, guests = 0 } = order.spec.table;
      const { items } = await client.list(Order, { namespace: request.namespace! });
      const open = items.find(
        ({ spec, status }) =>
          spec.table.number === number && !isStatusConditionTrue(status?.conditions, "Ready"),
      );
      if (open)
        return invalid({
          field: "spec.table.number",
          message: `table ${number} has an open order, "${open.metadata.name}"`,
        });
      if (order.spec.dishes.length < guests)
        warn(`${guests} guests share ${order.spec.dishes.length} dishes`);
    },
  });
