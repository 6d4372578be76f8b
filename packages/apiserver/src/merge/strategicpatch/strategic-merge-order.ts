// The order of merged lists: items of the patch in its order, and live items between them in
// theirs.
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (normalizeElementOrder,
// mergeSortedSlice and below).
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { badArgumentError, noMergeKeyError, patchDirective } from "./strategic-directive.ts";

/** The items of a list: maps that are identified by their merge key, or scalars. */
export interface ListItems {
  readonly items: "maps" | "scalars";
  readonly mergeKey: string;
}

/** The items of a list, parted by whether another list has them. */
export interface Partition {
  readonly named: Json[];
  readonly others: Json[];
}

/** Parts `list` by the items of `by`. */
export function partition(
  list: readonly Json[],
  by: readonly Json[],
  { mergeKey, items }: ListItems,
): Partition {
  const named: Json[] = [];
  const others: Json[] = [];
  if (mergeKey && items === "maps") requireMergeKeys(mergeKey, list);
  for (const item of list) {
    const found = mergeKey
      ? findByKey(by, mergeKey, (item as JsonObject)[mergeKey]!) >= 0
      : by.some((other) => equalJson(other, item));
    (found ? named : others).push(item);
  }
  return { named, others };
}

/**
 * Orders named items as the patch does, and the others as the live list does, each before the first
 * named item that follows it there.
 */
export function normalizeElementOrder(
  { named, others }: Partition,
  patchOrder: readonly Json[],
  liveOrder: readonly Json[],
  kind: ListItems,
): Json[] {
  const right = sortBy(named, patchOrder, kind);
  const left = sortBy(others, liveOrder, kind);
  const out: Json[] = [];
  for (let i = 0, j = 0; i < left.length || j < right.length;) {
    const takesLeft =
      j >= right.length || (i < left.length && precedes(left[i]!, right[j]!, liveOrder, kind));
    if (takesLeft) out.push(left[i++]!);
    else out.push(right[j++]!);
  }
  return out;
}

function precedes(a: Json, b: Json, order: readonly Json[], kind: ListItems): boolean {
  const i = indexIn(order, a, kind);
  const j = indexIn(order, b, kind);
  return i >= 0 && j >= 0 && i < j;
}

function indexIn(list: readonly Json[], item: Json, kind: ListItems): number {
  const key = identityOf(item, kind);
  return list.findIndex((other) => equalJson(key, identityOf(other, kind)));
}

function identityOf(item: Json, { items, mergeKey }: ListItems): Json {
  if (items === "scalars") return item;
  return isObject(item) ? (item[mergeKey] ?? null) : null;
}

function sortBy(list: Json[], order: readonly Json[], kind: ListItems): Json[] {
  const ranked = (items: readonly Json[]): Ranked[] =>
    items.map((item) => ({ item, rank: indexIn(order, item, kind) }));
  if (kind.items === "scalars") return insertionSort(ranked(list));
  requireMergeKeys(kind.mergeKey, list, order);
  const { kept, deleted } = splitDeletions(list);
  return [...insertionSort(ranked(kept)), ...deleted];
}

interface Ranked {
  readonly item: Json;
  /** -1 for items that the order lacks. */
  readonly rank: number;
}

/** Upstream's sort moves items that the order lacks to the front. */
function insertionSort(ranked: readonly Ranked[]): Json[] {
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
 * Items with a delete directive, and the rest. Throws ApiStatusError for an item that is no map.
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
 * Index of the first map with this value of the merge key, or -1. Throws ApiStatusError for an item
 * that is no map.
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
