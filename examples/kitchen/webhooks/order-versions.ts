// How an order changes between its versions. v1 has no place for the guests, so an annotation keeps
// them: a client of v1 that writes an order back loses nothing.
import { defineConversion } from "homeostat/webhook";
import { OrderV1 } from "../resources/order-v1.ts";
import { Order } from "../resources/order.ts";

const guestsKey = "kitchen.example.com/guests";

export const orderVersions = defineConversion(OrderV1, Order, {
  up({ metadata, spec: { table: number, ...spec } }) {
    const { [guestsKey]: guests, ...annotations } = metadata.annotations ?? {};
    return {
      metadata: { annotations },
      spec: { ...spec, table: { number, ...(guests ? { guests: Number(guests) } : {}) } },
    };
  },
  down({ metadata: { annotations = {} }, spec: { table, ...spec } }) {
    const guests = table.guests === undefined ? {} : { [guestsKey]: String(table.guests) };
    return {
      metadata: { annotations: { ...annotations, ...guests } },
      spec: { ...spec, table: table.number },
    };
  },
});
