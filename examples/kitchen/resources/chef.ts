// A chef. Orders refer to chefs; no controller reconciles them: objects that are only referred to
// need none.
import { defineResource } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";

export const Chef = defineResource({
  ...api,
  kind: "Chef",
  spec: z.object({
    secondsPerDish: z
      .number()
      .min(0)
      .default(1)
      .describe("How long this chef cooks one dish, in seconds."),
  }),
  columns: { "Seconds per dish": ".spec.secondsPerDish" },
});
