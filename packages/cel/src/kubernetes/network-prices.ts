// Prices of functions on addresses and prefixes.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go.
import { passOver } from "../cost/actual-size.ts";
import { addEstimates, type Estimate, fixed } from "../cost/estimate.ts";
import { type CallSite, type Price, sizeOf, traversal } from "../cost/price.ts";
import { passEstimate } from "../cost/prices.ts";
import type { CelValue } from "../values/value.ts";

const twoPasses = 2 * traversal;

/** Parsed, and compared with its canonical text. */
export const canonicalPrice: Price = {
  actual: (args) => passOver(args[0]!, twoPasses),
  estimate: (site) =>
    site.args[0] ? { cost: passEstimate(sizeOf(site.args[0], site), twoPasses) } : undefined,
};

/** Bytes of an address. */
const addressSize: Estimate = { min: 4, max: 16 };
const comparison = passEstimate(addEstimates(addressSize, addressSize));

const parsing = (value: CelValue | undefined): number =>
  typeof value === "string" ? passOver(value) : 0;
const parsingEstimate = (argument: "string" | "parsed", site: CallSite): Estimate =>
  argument === "string" ? passEstimate(sizeOf(site.args[0], site)) : fixed(0);

/** Two addresses are compared; a text is parsed first. */
export const containsIpPrice = (argument: "string" | "parsed"): Price => ({
  actual: (args) => passOver(args[0]!, twoPasses) + parsing(args[1]),
  estimate: (site) => ({ cost: addEstimates(comparison, parsingEstimate(argument, site)) }),
});

/** The same, and the lengths of two prefixes. */
export const containsCidrPrice = (argument: "string" | "parsed"): Price => ({
  actual: (args) => passOver(args[0]!, twoPasses) + passOver(args[0]!) + 1 + parsing(args[1]),
  estimate: (site) => ({
    cost: addEstimates(
      comparison,
      passEstimate(addressSize),
      fixed(1),
      parsingEstimate(argument, site),
    ),
  }),
});
