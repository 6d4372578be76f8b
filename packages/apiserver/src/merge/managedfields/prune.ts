// Takes out of a merged object what its applier dropped from the intent, unless somebody else owns
// it. Three steps, because removing a parent removes what others own below it: remove everything
// applied last time, put back what any manager owns, and put back what had not been applied last
// time at all.
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
import { fieldSetOfValue } from "../typed/to-field-set.ts";
import { removeItems } from "../typed/remove-items.ts";
import type { ConvertTyped, Managers, TypedObject, VersionedSet } from "./updater.ts";

/**
 * The merged object in `apiVersion` without the fields that left. `managers` hold the applier's new
 * set already.
 */
export function prune(
  convert: ConvertTyped,
  merged: TypedObject,
  managers: Managers,
  apiVersion: string,
  last: VersionedSet,
): TypedObject {
  const then = attempt("failed to convert merged object to last applied version", () =>
    convert(merged, last.apiVersion),
  );
  if (!then) return merged;
  const bare = without(then, withNamedFields(last.set, then.type));
  const owned = attempt("failed add back owned items", () =>
    restoreOwned(convert, then, bare, managers),
  );
  const restored = attempt("failed add back dangling items", () =>
    restoreUnapplied(convert, then, owned, last),
  );
  return convert(restored, apiVersion) ?? restored;
}

const without = (object: TypedObject, fields: FieldSet): TypedObject => ({
  ...object,
  value: removeItems(object.type, object.value, fields),
});

const namedFieldsOf = (object: TypedObject): FieldSet =>
  withNamedFields(fieldSetOfValue(object.type, object.value), object.type);

/**
 * The pruned version comes first, because other versions may not be convertible from what was
 * stripped bare.
 */
function restoreOwned(
  convert: ConvertTyped,
  merged: TypedObject,
  bare: TypedObject,
  managers: Managers,
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
    const wholeThere = attempt(`failed to convert merged object at version ${apiVersion}`, () =>
      convert(whole, apiVersion),
    );
    const prunedThere =
      wholeThere &&
      attempt(`failed to convert pruned object at version ${apiVersion}`, () =>
        convert(pruned, apiVersion),
      );
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
  convert: ConvertTyped,
  merged: TypedObject,
  pruned: TypedObject,
  last: VersionedSet,
): TypedObject {
  const then = attempt("failed to convert pruned object to last applied version", () =>
    convert(pruned, last.apiVersion),
  );
  if (!then) return merged;
  const left = difference(namedFieldsOf(merged), namedFieldsOf(then));
  return without(merged, intersection(left, withNamedFields(last.set, merged.type)));
}
