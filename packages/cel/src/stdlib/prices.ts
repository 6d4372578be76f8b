// Prices of the standard functions.
// Upstream: github.com/google/cel-go v0.26 interpreter/runtimecost.go, checker/cost.go
// (functionCost).
import { actualSize, passOver } from "../cost/actual-size.ts";
import { addEstimates, fixed, multiplyEstimates } from "../cost/estimate.ts";
import { type CallCost, type Price, sizeOf, traversal } from "../cost/price.ts";
import { CelList } from "../values/list.ts";
import { conversionPrice, passEstimate, patternCost, patternEstimate } from "../cost/prices.ts";

/** Joining two texts. */
export const concatenationPrice: Price = {
  actual: (args) => Math.ceil((actualSize(args[0]!) + actualSize(args[1]!)) * traversal),
  estimate(site) {
    const resultSize = addEstimates(sizeOf(site.args[0], site), sizeOf(site.args[1], site));
    return { cost: passEstimate(resultSize), resultSize };
  },
};

/** One visit to each item of two lists, one pass over two texts. */
const resultPass: CallCost = ([a, b]) =>
  (actualSize(a!) + actualSize(b!)) * (a instanceof CelList ? 1 : traversal);

/** Adding what is known only when it runs costs one unit. */
export const additionPrice: Price = { resultPass };

/** Joining two lists costs one unit whatever their size. */
export const listConcatenationPrice: Price = {
  resultPass,
  estimate: (site) => ({
    cost: fixed(1),
    resultSize: addEstimates(sizeOf(site.args[0], site), sizeOf(site.args[1], site)),
  }),
};

/** `in` a list. */
export const membershipPrice: Price = {
  actual: (args) => actualSize(args[1]!),
  estimate: (site) => ({ cost: sizeOf(site.args[1], site) }),
};

/** `startsWith` and `endsWith`: charged for the text, estimated for the affix. */
export const affixPrice: Price = {
  actual: (args) => passOver(args[0]!),
  estimate: (site) => ({ cost: passEstimate(sizeOf(site.args[0], site)) }),
};

export const containsPrice: Price = {
  actual: (args) => passOver(args[0]!) * passOver(args[1]!),
  estimate: (site) => ({
    cost: multiplyEstimates(
      passEstimate(sizeOf(site.target, site)),
      passEstimate(sizeOf(site.args[0], site)),
    ),
  }),
};

export const matchesPrice: Price = {
  actual: patternCost,
  estimate: (site) => ({
    cost: patternEstimate(sizeOf(site.target, site), sizeOf(site.args[0], site)),
  }),
};

/** A character has one to four bytes. */
export const encodingPrice: Price = conversionPrice((size) =>
  multiplyEstimates(size, { min: 1, max: 4 }),
);

export const decodingPrice: Price = conversionPrice(({ min, max }) => ({
  min: Math.floor(min / 4),
  max,
}));
