// `$setElementOrder/…`: the order of a merged list.
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (mergePatchIntoOriginal,
// validatePatchWithSetOrderList).
import { equalJson, isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { formatGoValue } from "../../apimachinery/values/go-format.ts";
import { lookUpList, type PatchType } from "../../apimachinery/types/patch-meta.ts";
import {
  badArgumentError,
  nameBehind,
  noMergeKeyError,
  patchDirective,
  setElementOrderPrefix,
  withoutDirectives,
} from "./strategic-directive.ts";
import { itemsOf, type MergeMap, mergeList } from "./strategic-merge-list.ts";
import {
  findByKey,
  type ListItems,
  normalizeElementOrder,
  partition,
  splitDeletions,
} from "./strategic-merge-order.ts";

/** Merges the list of a `$setElementOrder/…` directive, and removes both from the patch. */
export function mergeOrderedLists(
  { original, patch }: { readonly original: JsonObject; readonly patch: JsonObject },
  directive: string,
  type: PatchType,
  merge: MergeMap,
): void {
  const order = patch[directive]!;
  delete patch[directive];
  if (!Array.isArray(order)) throw badArgumentError("[]interface {}", order);
  const name = nameBehind(
    directive,
    setElementOrderPrefix,
    "invalid patch format of setElementOrder list",
  );
  const live = listAt(original, name);
  const wanted = listAt(patch, name);
  const field = lookUpList(type, name);
  if (wanted) checkOrder(wanted, order, field.mergeKey);
  const merged =
    live && wanted
      ? mergeList(live, wanted, field, merge)
      : (live ?? (wanted && (withoutDirectives(wanted) as Json[])));
  if (!merged) return;
  const kind: ListItems = {
    items: itemsOf(live ?? [], wanted ?? []),
    mergeKey: field.mergeKey,
  };
  const parts = partition(merged, order, kind);
  const liveOrder =
    live && wanted && kind.items === "maps" && field.strategy === "merge"
      ? orderAfterDeletions(live, wanted as JsonObject[], field.mergeKey)
      : (live ?? []);
  setOwn(original, name, normalizeElementOrder(parts, order, liveOrder, kind));
  delete patch[name];
}

/**
 * The live order in which new items take the indexes of deleted ones: upstream reorders by a list
 * that deletions shortened in place.
 */
function orderAfterDeletions(
  live: readonly Json[],
  wanted: readonly JsonObject[],
  mergeKey: string,
): readonly Json[] {
  if (wanted.some((item) => item[patchDirective] === "replace")) return live;
  const isIn = (list: readonly Json[], item: Json): boolean =>
    findByKey(list, mergeKey, (item as JsonObject)[mergeKey] ?? null) >= 0;
  const deletions = wanted.filter((item) => item[patchDirective] === "delete");
  const left = live.filter((item) => !isIn(deletions, item));
  const added = wanted.filter((item) => !Object.hasOwn(item, patchDirective) && !isIn(left, item));
  return [...left, ...added].slice(0, live.length);
}

function listAt(object: JsonObject, name: string): Json[] | undefined {
  if (!Object.hasOwn(object, name)) return undefined;
  const list = object[name]!;
  if (!Array.isArray(list)) throw badArgumentError("[]interface {}", list);
  return list;
}

/** Items of the patch, except deletions, must be in the directive's list, in its order. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string): void {
  if (!order.length || !patch.length) return;
  const kept = mergeKey ? splitDeletions(patch).kept : patch;
  let i = 0;
  let j = 0;
  while (i < kept.length && j < order.length) {
    if (isObject(kept[i]) && Object.hasOwn(kept[i] as JsonObject, patchDirective)) {
      i++;
      continue;
    }
    if (sameItem(kept[i]!, order[j]!, mergeKey)) i++;
    j++;
  }
  if (i < kept.length && j >= order.length)
    throw plainError(
      `The order in patch list:\n${formatGoValue(patch as Json[])}\n doesn't match ${setElementOrderPrefix} list:\n${formatGoValue(order as Json[])}\n`,
    );
}

function sameItem(a: Json, b: Json, mergeKey: string): boolean {
  if (!mergeKey) return equalJson(a, b);
  for (const item of [a, b])
    if (!isObject(item)) throw badArgumentError("map[string]interface {}", item);
  for (const item of [a, b] as JsonObject[])
    if (!Object.hasOwn(item, mergeKey)) throw noMergeKeyError(item, mergeKey);
  return equalJson((a as JsonObject)[mergeKey], (b as JsonObject)[mergeKey]);
}
