// Sizes of values, as prices count them.
// Upstream: github.com/google/cel-go v0.26 interpreter/runtimecost.go (ActualSize);
// k8s.io/apiserver v0.36 pkg/cel/library/cost.go (actualSize, traversalCost).
import { CelList } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { Optional } from "../values/optional.ts";
import { codePointLength } from "../values/text.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { traversal } from "./price.ts";

/** Characters, bytes, items or entries; 1 for values without a size. */
export function actualSize(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof Optional && value.held !== undefined) return actualSize(value.held);
  return value instanceof CelObject ? value.costSize : 1;
}

/** The cost of one pass over a value. */
export const passOver = (value: CelValue, factor = traversal): number =>
  Math.ceil(actualSize(value) * factor);

/** The cost of a visit to every part of a value: texts by their bytes, anything else one unit. */
export function walkOver(value: CelValue): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  if (value instanceof CelList) {
    let cost = 0;
    for (const item of value) cost += walkOver(item);
    return cost;
  }
  if (value instanceof CelMap)
    return value
      .keys()
      .reduce<number>((cost, key) => cost + walkOver(key) + walkOver(value.find(key)!), 0);
  return 1;
}
