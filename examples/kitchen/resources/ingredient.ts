// An ingredient of one meal: how much of what (spec), and where it is (status). The pantry fetches it.
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";

/** The amount that a recipe asks for, shared by orders and ingredients. */
export const amount = z.object({ amount: z.int().min(1), measure: z.enum(["g", "ml", "piece"]) });

export const Ingredient = defineResource({
  ...api,
  kind: "Ingredient",
  shortNames: ["ing"],
  spec: amount.apply(k.immutable),
  status: z.object({
    /** Where it is now. */
    place: z.enum(["pantry", "counter"]),
    fetchedAt: k.time(),
  }),
  conditions: ["SetOut"],
  columns: { Amount: ".spec.amount", Measure: ".spec.measure", Place: ".status.place", "Set out": "condition:SetOut" },
});
