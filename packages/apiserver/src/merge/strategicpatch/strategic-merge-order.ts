// The order of strategically merged lists: named items as the patch lists them, with live items in
// between as far as their own order allows.
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder,
// mergeSortedSlice and below).
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { badArgumentError, noMergeKeyError, patchDirective } from "./strategic-directive.ts";

/** What a list holds. */
export type Items = "maps" | "scalars";

/** Items that the other list names, and the rest. */
export function partition(
  list: readonly Json[],
  by: readonly Json[],
  mergeKey: string,
  items: Items,
): readonly [named: Json[], others: Json[]] {
  const named: Json[] = [],
    others: Json[] = [];
  if (mergeKey && items === "maps") requireMergeKeys(mergeKey, list);
  for (const item of list) {
    const found = mergeKey
      ? findByKey(by, mergeKey, (item as JsonObject)[mergeKey]!) >= 0
      : by.some((other) => equalJson(other, item));
    (found ? named : others).push(item);
  }
  return [named, others];
}

/**
 * Named items in the patch's order; the others, in live order, each in front of the first named one
 * that follows it live.
 */
export function arrange(
  named: Json[],
  others: Json[],
  patchOrder: readonly Json[],
  liveOrder: readonly Json[],
  mergeKey: string,
  items: Items,
): Json[] {
  const right = sortBy(named, patchOrder, mergeKey, items),
    left = sortBy(others, liveOrder, mergeKey, items);
  const out: Json[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    if (
      j >= right.length ||
      (i < left.length && comesFirst(left[i]!, right[j]!, liveOrder, mergeKey, items))
    )
      out.push(left[i++]!);
    else out.push(right[j++]!);
  }
  return out;
}

function comesFirst(
  a: Json,
  b: Json,
  order: readonly Json[],
  mergeKey: string,
  items: Items,
): boolean {
  const i = indexIn(order, a, mergeKey, items),
    j = indexIn(order, b, mergeKey, items);
  return i >= 0 && j >= 0 && i < j;
}

function indexIn(list: readonly Json[], item: Json, mergeKey: string, items: Items): number {
  const keyOf = (value: Json): Json | undefined =>
    items === "maps" ? (isObject(value) ? (value[mergeKey] ?? null) : null) : value;
  return list.findIndex((other) => equalJson(keyOf(item), keyOf(other)));
}

function sortBy(list: Json[], order: readonly Json[], mergeKey: string, items: Items): Json[] {
  let kept = list,
    deleted: Json[] = [];
  if (items === "maps") {
    requireMergeKeys(mergeKey, list, order);
    ({ kept, deleted } = splitDeletions(list));
  }
  return [
    ...insertionSort(kept.map((item) => ({ item, rank: indexIn(order, item, mergeKey, items) }))),
    ...deleted,
  ];
}

/**
 * Upstream's sort, whose comparison puts an item that the order does not know in front of whatever
 * precedes it.
 */
function insertionSort(ranked: { readonly item: Json; readonly rank: number }[]): Json[] {
  const out = [...ranked];
  for (let i = 1; i < out.length; i++) {
    for (let j = i; j > 0; j--) {
      const before = out[j - 1]!,
        here = out[j]!;
      if (before.rank >= 0 && here.rank >= before.rank) break;
      out[j - 1] = here;
      out[j] = before;
    }
  }
  return out.map(({ item }) => item);
}

/**
 * Items that a directive deletes, and the rest. Throws ApiStatusError for an item that is no map.
 */
export function splitDeletions(list: readonly Json[]): {
  readonly kept: Json[];
  readonly deleted: Json[];
} {
  const kept: Json[] = [],
    deleted: Json[] = [];
  for (const item of list) {
    if (!isObject(item)) throw badArgumentError("map[string]interface {}", item);
    (item[patchDirective] === "delete" ? deleted : kept).push(item);
  }
  return { kept, deleted };
}

/**
 * Position of the first map with that key's value, or -1. Throws ApiStatusError for an item that is
 * no map.
 */
export function findByKey(list: readonly Json[], mergeKey: string, value: Json): number {
  for (const [i, item] of list.entries()) {
    if (!isObject(item)) throw plainError(`value for key ${i} is not a map`);
    if (Object.hasOwn(item, mergeKey) && equalJson(item[mergeKey], value)) return i;
  }
  return -1;
}

/** Throws ApiStatusError unless every item is a map with the merge key. */
export function requireMergeKeys(mergeKey: string, ...lists: readonly (readonly Json[])[]): void {
  for (const item of lists.flat()) {
    if (!isObject(item)) throw badArgumentError("map[string]interface {}", item);
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKeyError(item, mergeKey);
  }
}
