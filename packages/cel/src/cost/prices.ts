// Prices that several libraries share.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go (CallCost, EstimateCallCost);
// github.com/google/cel-go v0.26 interpreter/runtimecost.go, checker/cost.go (functionCost).
import type { CelValue } from "../values/value.ts";
import { actualSize, passOver, walkOver } from "./actual-size.ts";
import {
  addEstimates,
  type Estimate,
  fixed,
  multiplyEstimates,
  scaleEstimate,
} from "./estimate.ts";
import {
  type CallCost,
  type CallEstimate,
  itemsOf,
  patternFactor,
  type Price,
  sizeOf,
  traversal,
} from "./price.ts";

/** An estimated pass over a value of this size. */
export const passEstimate = (size: Estimate, factor = traversal): Estimate =>
  scaleEstimate(size, factor);

const firstPass: CallCost = (args) => passOver(args[0]!);

/** One pass over the argument. */
export const argumentPass: Price = {
  actual: firstPass,
  estimate: (site) =>
    site.args[0] ? { cost: passEstimate(sizeOf(site.args[0], site)) } : undefined,
};

/** One pass over the argument, whose size decides that of the result. */
export const conversionPrice = (resultSize: (size: Estimate) => Estimate): Price => ({
  actual: firstPass,
  estimate(site) {
    if (site.args.length !== 1) return undefined;
    const size = sizeOf(site.args[0], site);
    return { cost: passEstimate(size), resultSize: resultSize(size) };
  },
});

/** One pass over the argument, which is also the size of the result. */
export const convertedArgument: Price = conversionPrice((size) => size);

/** One pass over the receiver, which is also the size of the result. */
export const convertedReceiver: Price = {
  actual: firstPass,
  estimate(site) {
    if (!site.target) return undefined;
    const size = sizeOf(site.target, site);
    return { cost: passEstimate(size), resultSize: size };
  },
};

/** A visit to every item of the receiver. */
export const itemPass: Price = {
  actual: (args) => walkOver(args[0]!),
  estimate(site) {
    if (!site.target) return undefined;
    const size = sizeOf(site.target, site);
    const items = itemsOf(site.target);
    if (!items) return { cost: passEstimate(size) };
    const isText = items.type.kind === "string" || items.type.kind === "bytes";
    const perItem = isText ? addEstimates(fixed(1), passEstimate(sizeOf(items, site))) : fixed(1);
    return { cost: multiplyEstimates(size, perItem) };
  },
};

/** A search for a pattern, the second argument, in the first. */
export const patternCost: CallCost = (args) =>
  Math.ceil((1 + actualSize(args[0]!)) * traversal) *
  Math.ceil(actualSize(args[1]!) * patternFactor);

/** An estimated search in a text of this size. */
export const patternEstimate = (text: Estimate, pattern: Estimate): Estimate =>
  multiplyEstimates(
    passEstimate(addEstimates(text, fixed(1))),
    scaleEstimate(pattern, patternFactor),
  );

/** The part of two texts that a comparison reads. */
export const shorterPass = (args: readonly CelValue[]): number =>
  Math.ceil(Math.min(actualSize(args[0]!), actualSize(args[1]!)) * traversal);

/** A comparison of two values by their size. */
export const comparisonPrice: Price = {
  actual: shorterPass,
  estimate(site): CallEstimate {
    const max = Math.min(sizeOf(site.args[0], site).max, sizeOf(site.args[1], site).max);
    return { cost: passEstimate({ min: max > 0 ? 1 : 0, max }) };
  },
};
