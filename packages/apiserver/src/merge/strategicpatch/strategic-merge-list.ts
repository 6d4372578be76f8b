// Strategic merge of lists: scalars as sets, maps by merge key, with directives in items.
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (mergeSlice and below).
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { formatGoType, formatGoValue } from "../../apimachinery/values/go-format.ts";
import { patchRejectedError } from "../patch/patch-error.ts";
import { goKindOf, type PatchField, type PatchType } from "../../apimachinery/types/patch-meta.ts";
import { badDirectiveError, noMergeKeyError, patchDirective } from "./strategic-directive.ts";
import {
  findByKey,
  type ListItems,
  normalizeElementOrder,
  partition,
} from "./strategic-merge-order.ts";

/** Merges `patch` into `original` by its type; may mutate both. */
export type MergeMap = (original: JsonObject, patch: JsonObject, type: PatchType) => JsonObject;

/**
 * Merges maps by key with `merge`, and scalars as a set. Without the merge strategy the patch
 * replaces the list. Mutates items of the original.
 */
export function mergeList(
  original: Json[],
  patch: Json[],
  { type, strategy, mergeKey }: PatchField,
  merge: MergeMap,
): Json[] {
  if (strategy !== "merge") return patch;
  if (!original.length && !patch.length) return original;
  const items = itemsOf(original, patch);
  if (items === "maps") return mergeMaps(original, patch, { type, mergeKey }, merge);
  const merged = deduplicate([...original, ...patch]);
  const kind: ListItems = { items, mergeKey };
  return normalizeElementOrder(partition(merged, patch, kind), patch, original, kind);
}

/** Removes the scalars of the patch, whatever the field's strategy; maps merge as usual. */
export function deleteFromList(
  original: Json[],
  patch: Json[],
  field: PatchField,
  merge: MergeMap,
): Json[] {
  if (!original.length && !patch.length) return original;
  if (itemsOf(original, patch) === "maps") return mergeMaps(original, patch, field, merge);
  return original.filter((item) => !patch.some((gone) => equalJson(gone, item)));
}

/** Whether items are maps or scalars. Throws ApiStatusError unless all have one type. */
export function itemsOf(...lists: readonly Json[][]): ListItems["items"] {
  let first: string | undefined;
  for (const item of lists.flat()) {
    if (first === undefined && Array.isArray(item)) throw patchRejectedError();
    first ??= formatGoType(item);
    if (formatGoType(item) !== first)
      throw plainError(`list element types are not identical: ${formatGoValue(lists as Json[])}`);
  }
  if (first === undefined) throw plainError("no elements in any of the given slices");
  return first === "map[string]interface {}" ? "maps" : "scalars";
}

function mergeMaps(
  original: Json[],
  patch: Json[],
  { type, mergeKey }: Pick<PatchField, "type" | "mergeKey">,
  merge: MergeMap,
): Json[] {
  if (!mergeKey) throw plainError(`cannot merge lists without merge key for ${goKindOf(type)}`);
  const { base, rest } = followDirectives(original, patch as JsonObject[], mergeKey);
  const merged = [...base];
  for (const item of rest) {
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKeyError(item, mergeKey);
    const at = findByKey(merged, mergeKey, item[mergeKey]!);
    if (at < 0) merged.push(item);
    else merged[at] = merge(merged[at] as JsonObject, item, type);
  }
  const kind: ListItems = { items: "maps", mergeKey };
  return normalizeElementOrder(partition(merged, rest, kind), rest, base, kind);
}

/** Deletes and replacements inside the list; what is left of the patch is merged. */
function followDirectives(
  original: Json[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { readonly base: Json[]; readonly rest: readonly JsonObject[] } {
  let base = original;
  let replace = false;
  const rest: JsonObject[] = [];
  for (const item of patch) {
    const directive = Object.hasOwn(item, patchDirective) ? item[patchDirective]! : undefined;
    if (directive === undefined) rest.push(item);
    else if (directive === "replace") replace = true;
    else if (directive === "merge")
      throw plainError("merging lists cannot yet be specified in the patch");
    else if (directive !== "delete") throw badDirectiveError(directive, item);
    else if (!Object.hasOwn(item, mergeKey)) throw noMergeKeyError(item, mergeKey);
    else base = deleteByKey(base, mergeKey, item[mergeKey]!);
  }
  return replace ? { base: rest, rest: [] } : { base, rest };
}

function deleteByKey(list: Json[], mergeKey: string, value: Json): Json[] {
  findByKey(list, mergeKey, value);
  return list.filter((item) => !equalJson((item as JsonObject)[mergeKey], value));
}

/** Drops duplicates; the last item moves to the index of each, as upstream does. */
function deduplicate(list: Json[]): Json[] {
  for (let i = 0; i < list.length - 1; i++) {
    for (let j = i + 1; j < list.length; j++) {
      if (!equalJson(list[i], list[j])) continue;
      const last = list.pop()!;
      if (j < list.length) list[j] = last;
      j--;
    }
  }
  return list;
}
