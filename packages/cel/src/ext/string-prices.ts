// Prices of functions on strings.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go; github.com/google/cel-go v0.26
// interpreter/runtimecost.go, checker/cost.go.
import { passOver } from "../cost/actual-size.ts";
import {
  addEstimates,
  type Estimate,
  fixed,
  multiplyEstimates,
  unbounded,
} from "../cost/estimate.ts";
import { itemsOf, type Price, sizeOf, traversal } from "../cost/price.ts";
import { conversionPrice, passEstimate } from "../cost/prices.ts";
import { CelList } from "../values/list.ts";
import { codePointLength } from "../values/text.ts";
import type { CelValue } from "../values/value.ts";

const twoPasses = 2 * traversal;
const firstTwice = (args: readonly CelValue[]): number => passOver(args[0]!, twoPasses);

export const replacePrice: Price = {
  actual: firstTwice,
  resultPass: replacedPass,
  estimate(site) {
    const { target, args } = site;
    if (!target || args.length < 2) return undefined;
    const size = sizeOf(target, site);
    const old = sizeOf(args[0], site);
    const replacement = sizeOf(args[1], site);
    const most = occurrences(size.max, old.min, replacement.max <= old.min);
    const fewest = occurrences(size.min, old.max, old.max <= replacement.min);
    const resultSize = addEstimates(
      multiplyEstimates({ min: fewest.count, max: most.count }, replacement),
      { min: fewest.kept, max: most.kept },
    );
    return { cost: passEstimate(size, twoPasses), resultSize };
  },
};

/** Counts in UTF-16 units. */
function replacedPass(args: readonly CelValue[]): number {
  const [text, old, replacement, limit = -1] = args;
  if (typeof text !== "string" || typeof old !== "string" || typeof replacement !== "string")
    return 0;
  const most = Number(limit) < 0 ? Infinity : Number(limit);
  let count = 0;
  for (let at = 0; count < most && at <= text.length; at += Math.max(1, old.length)) {
    at = text.indexOf(old, at);
    if (at < 0) break;
    count++;
  }
  return (text.length + count * (replacement.length - old.length)) * traversal;
}

/**
 * How often a text of `old` characters may be replaced in one of `size`, and how much of it stays.
 */
function occurrences(
  size: number,
  old: number,
  never: boolean,
): { readonly count: number; readonly kept: number } {
  if (old === 0) return { count: Math.min(size + 1, unbounded), kept: size };
  return never ? { count: 0, kept: size } : { count: Math.ceil(size / old), kept: 0 };
}

export const splitPrice: Price = {
  actual: firstTwice,
  estimate(site) {
    if (!site.target) return undefined;
    const size = sizeOf(site.target, site);
    const resultSize = { min: 0, max: mostPieces(site.args[1]?.literal, size) };
    return { cost: passEstimate(size, twoPasses), resultSize };
  },
};

function mostPieces(limit: CelValue | undefined, text: Estimate): number {
  if (typeof limit !== "number") return text.max;
  return limit < 0 ? unbounded : limit;
}

export const joinPrice: Price = {
  actual: ([list, separator = ""]) => Math.ceil(joinedSize(list!, separator) * twoPasses),
  estimate(site) {
    if (!site.target) return undefined;
    const count = sizeOf(site.target, site);
    const items = itemsOf(site.target);
    const separators = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) };
    const size = addEstimates(
      items ? multiplyEstimates(count, sizeOf(items, site)) : fixed(0),
      site.args[0] ? multiplyEstimates(sizeOf(site.args[0], site), separators) : fixed(0),
    );
    return { cost: passEstimate(size), resultSize: size };
  },
};

/** The size of the result; 1 where the call fails. */
function joinedSize(list: CelValue, separator: CelValue): number {
  if (!(list instanceof CelList) || typeof separator !== "string") return 1;
  let size = Math.max(0, list.size - 1) * codePointLength(separator);
  for (const item of list) {
    if (typeof item !== "string") return 1;
    size += codePointLength(item);
  }
  return size;
}

export const quotePrice: Price = conversionPrice((size) =>
  addEstimates(multiplyEstimates(size, { min: 1, max: 2 }), fixed(2)),
);

export const formatPrice: Price = {
  actual: (args) => passOver(args[0]!),
  estimate: (site) => ({ cost: passEstimate(sizeOf(site.target, site)) }),
};
