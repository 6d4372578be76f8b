// The first version of orders: a table was a number. Clients and stored objects of it go on
// working; webhooks/order-versions.ts converts them.
import { defineResource } from "homeostat";
import * as z from "zod";
import { order, orderColumns, orderFields, orderStatus, tableNumber } from "./order.ts";

export const OrderV1 = defineResource({
  ...order,
  version: "v1",
  spec: z.object({ table: tableNumber, ...orderFields }),
  ...orderStatus,
  columns: { Table: ".spec.table", ...orderColumns },
});
