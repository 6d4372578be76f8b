// The operator of the demonstration: copies a number from spec to status.
import { defineController, defineResource } from "homeostat";
import * as z from "zod";

export const operator = "ticks";

export const Tick = defineResource({
  group: "failover.example.com",
  version: "v1",
  kind: "Tick",
  spec: z.object({ count: z.int() }),
  status: z.object({ seen: z.int() }),
});

/** `began` is called for each reconcile. */
export const ticks = (began: () => void) =>
  defineController(Tick, {
    async reconcile({ object, status }) {
      began();
      status({ seen: object.spec.count });
    },
  });
