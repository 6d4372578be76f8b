// An ingredient of one meal: how much of what (spec), and where it is (status). The pantry fetches
// it.
import { defineResource, k } from "homeostat";
import * as z from "zod";
import { api } from "./group.ts";

/** The amount that a recipe asks for, shared by orders and ingredients. */
export const amount = z.object({
  amount: z.int().min(1).describe("How much of it, in whole measures."),
  measure: z
    .enum(["g", "ml", "piece"])
    .describe("What the amount counts: grams, millilitres or pieces."),
});

export const Ingredient = defineResource({
  ...api,
  kind: "Ingredient",
  // `ing` is the short name of Ingress.
  shortNames: ["ingr"],
  spec: amount.apply(k.immutable),
  status: z.object({
    place: z.enum(["pantry", "counter"]).describe("Where it is now."),
    fetchedAt: k.time().describe("When it was put on the counter."),
  }),
  conditions: ["SetOut"],
  columns: {
    Amount: ".spec.amount",
    Measure: ".spec.measure",
    Place: ".status.place",
    "Set out": "condition:SetOut",
  },
});
