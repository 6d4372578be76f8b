// Prices of functions on lists: making the result, and comparing items.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go; github.com/google/cel-go v0.26
// ext/lists.go.
import { actualSize } from "../cost/actual-size.ts";
import {
  addEstimates,
  type Estimate,
  fixed,
  multiplyEstimates,
  scaleEstimate,
  unbounded,
} from "../cost/estimate.ts";
import {
  type CallEstimate,
  type CallSite,
  type CostNode,
  listCost,
  type Price,
  sizeOf,
  traversal,
} from "../cost/price.ts";
import type { Type } from "../types/type.ts";
import { isInt } from "../values/int.ts";
import { CelList } from "../values/list.ts";
import type { CelValue } from "../values/value.ts";

/** A list of so many items is made. */
const allocation = (size: number, factor: number): number =>
  Math.floor(size * factor) + 1 + listCost;
const allocationEstimate = (size: Estimate, factor: number): CallEstimate => ({
  cost: addEstimates(scaleEstimate(size, factor), fixed(1 + listCost)),
  resultSize: size,
});

/** What an int counts; 1 where the call fails for its type. */
const countOf = (value: CelValue | undefined): number => (isInt(value) ? Number(value) : 1);

/** The value of an int literal, at least 0. */
function literalInt(node: CostNode | undefined, otherwise: number): number {
  const value = node?.literal;
  return typeof value === "number" || typeof value === "bigint"
    ? Math.max(0, Number(value))
    : otherwise;
}

export const slicePrice: Price = {
  actual([list, from, to]) {
    const span = countOf(to) - countOf(from);
    return allocation(span >= 0 && countOf(to) <= actualSize(list!) ? span : 1, 1);
  },
  estimate(site) {
    const max = sizeOf(site.target, site).max;
    const span = literalInt(site.args[1], max) - literalInt(site.args[0], 0);
    return allocationEstimate(fixed(span < 0 ? unbounded : span), 1);
  },
};

export const rangePrice: Price = {
  actual: (args) => allocation(Math.max(0, countOf(args[0])), 1),
  estimate: ({ args }) => allocationEstimate(fixed(literalInt(args[0], unbounded)), 1),
};

export const reversePrice: Price = {
  actual: (args) => allocation(actualSize(args[0]!), 1),
  estimate: (site) => allocationEstimate(sizeOf(site.target, site), 1),
};

export const flattenPrice: Price = {
  actual: ([list, depth]) => allocation(actualSize(list!), Math.max(0, countOf(depth))),
  resultPass: ([list, depth]) => flattenedSize(list!, countOf(depth)),
  estimate: (site) =>
    allocationEstimate(
      sizeOf(site.target, site),
      site.args.length === 0 ? 1 : literalInt(site.args[0], unbounded),
    ),
};

/** The items of a list and of the lists in it, down to a depth. */
function flattenedSize(value: CelValue, depth: number): number {
  if (!(value instanceof CelList)) return 1;
  if (depth <= 0) return value.size;
  let size = 0;
  for (const item of value) size += flattenedSize(item, depth - 1);
  return size;
}

const itemFactor = 2;
const textFactor = itemFactor + traversal;

/** Every item is compared with every other. */
function selfComparison(list: CelValue): number {
  const size = actualSize(list);
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined;
  const isText = typeof first === "string" || first instanceof Uint8Array;
  return allocation(size * size, isText ? textFactor : itemFactor);
}

function selfComparisonEstimate(list: CostNode | undefined, site: CallSite, factor: number) {
  const size = sizeOf(list, site);
  return allocationEstimate(multiplyEstimates(size, size), factor);
}

const factorOf = (items: Type): number =>
  items.kind === "string" || items.kind === "bytes" ? textFactor : itemFactor;

export const sortPrice = (items: Type): Price => ({
  actual: (args) => selfComparison(args[0]!),
  estimate: (site) => selfComparisonEstimate(site.target, site, factorOf(items)),
});

export const sortByKeysPrice = (keys: Type): Price => ({
  actual: (args) => selfComparison(args[1]!),
  estimate: (site) => selfComparisonEstimate(site.args[0], site, factorOf(keys)),
});

export const distinctPrice: Price = {
  actual: (args) => selfComparison(args[0]!),
  estimate: (site) => selfComparisonEstimate(site.target, site, itemFactor),
};
