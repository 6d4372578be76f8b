// Removes the fields from a merged object that its applier dropped from the intent, unless another
// manager owns them. Removing a parent also removes what others own below it; hence three steps:
// remove all fields applied last time, restore those that any manager owns, and restore those that
// were not applied last time.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/merge/update.go (prune and below).
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  union,
  withNamedFields,
} from "../fieldpath/field-set.ts";
import { attempt } from "../fieldpath/merge-error.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import { removeItems } from "../typed/remove-items.ts";
import type { ConvertTyped, Managers, TypedObject, VersionedSet } from "./managers.ts";

/** `managers` already hold the new set of the applier, and `last` is its old one. */
export interface Pruning {
  readonly convert: ConvertTyped;
  readonly managers: Managers;
  readonly last: VersionedSet;
}

/** The merged object without the dropped fields. */
export function prune(merged: TypedObject, pruning: Pruning): TypedObject {
  const { convert, last } = pruning;
  const then = converted(convert, merged, last.apiVersion, "merged object to last applied version");
  if (!then) return merged;
  const bare = without(then, withNamedFields(last.set, then.type));
  const owned = attempt("failed add back owned items", () => restoreOwned(then, bare, pruning));
  const restored = attempt("failed add back dangling items", () =>
    restoreUnapplied(then, owned, pruning),
  );
  return convert(restored, merged.apiVersion) ?? restored;
}

const converted = (
  convert: ConvertTyped,
  object: TypedObject,
  apiVersion: string,
  what: string,
): TypedObject | undefined =>
  attempt(`failed to convert ${what}`, () => convert(object, apiVersion));

const without = (object: TypedObject, fields: FieldSet): TypedObject => ({
  ...object,
  value: removeItems(object.type, object.value, fields),
});

const namedFieldsOf = (object: TypedObject): FieldSet =>
  withNamedFields(toFieldSet(object.type, object.value), object.type);

/** Starts with the version of the pruned object, since other conversions of it may fail. */
function restoreOwned(
  merged: TypedObject,
  bare: TypedObject,
  { convert, managers }: Pruning,
): TypedObject {
  const ownedIn = new Map<string, FieldSet>();
  for (const { apiVersion, set } of managers.values())
    ownedIn.set(apiVersion, union(ownedIn.get(apiVersion) ?? emptySet, set));
  const versions = [...ownedIn.keys()].sort(
    (a, b) => Number(b === merged.apiVersion) - Number(a === merged.apiVersion),
  );
  let whole = merged,
    pruned = bare;
  for (const apiVersion of versions) {
    const at = (what: string): string => `${what} at version ${apiVersion}`;
    const wholeThere = converted(convert, whole, apiVersion, at("merged object"));
    const prunedThere = wholeThere && converted(convert, pruned, apiVersion, at("pruned object"));
    if (!wholeThere || !prunedThere) continue;
    const keep = union(
      namedFieldsOf(prunedThere),
      withNamedFields(ownedIn.get(apiVersion)!, wholeThere.type),
    );
    pruned = without(wholeThere, difference(namedFieldsOf(wholeThere), keep));
    whole = wholeThere;
  }
  return pruned;
}

function restoreUnapplied(
  merged: TypedObject,
  pruned: TypedObject,
  { convert, last }: Pruning,
): TypedObject {
  const then = converted(convert, pruned, last.apiVersion, "pruned object to last applied version");
  if (!then) return merged;
  const left = difference(namedFieldsOf(merged), namedFieldsOf(then));
  return without(merged, intersection(left, withNamedFields(last.set, merged.type)));
}
