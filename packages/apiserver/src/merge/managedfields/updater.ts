// Ownership over time: what an update or an apply does to the field sets of all managers, and to
// the object. Knows nothing of managedFields entries or of Kubernetes metadata.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/merge (update.go, conflict.go).
import { equalJson, type Json } from "homeostat/api";
import { compareTyped, type Comparison } from "../typed/compare-typed.ts";
import type { FieldPath } from "../fieldpath/field-path.ts";
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  pathsOf,
  recursiveDifference,
  union,
} from "../fieldpath/field-set.ts";
import { fieldSetOfValue } from "../typed/to-field-set.ts";
import { attempt } from "../fieldpath/merge-error.ts";
import { mergeTyped } from "../typed/merge-typed.ts";
import { prune } from "./prune.ts";
import { reconcileFieldSet } from "../typed/reconcile-field-set.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/** A value, the version that it is in and that version's type, which it fits. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly type: SmdType;
  readonly value: Json;
}

/** What one manager owns, in the version that it wrote. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  readonly applied: boolean;
}

/** Managers by identifier. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** A field that an apply would change though somebody else owns it. */
export interface Conflict {
  readonly manager: string;
  readonly path: FieldPath;
}

/** An apply without force ran into fields of others. */
export class MergeConflicts extends Error {
  override readonly name = "MergeConflicts";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} field(s) are owned by other managers; force the apply to take them`);
    this.conflicts = conflicts;
  }
}

/**
 * How objects change version; undefined where the version does not exist. Throws {@link MergeError}
 * where conversion fails.
 */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined;

/** What stays the same over all writes of one endpoint. */
export interface UpdaterOptions {
  readonly convert: ConvertTyped;
  /** Fields that nobody can own through this endpoint, by apiVersion. */
  readonly ignored: ReadonlyMap<string, FieldSet>;
}

/**
 * Managers after `next` has replaced `live` by the hand of `manager`, which owns what it changed
 * besides what it owned.
 */
export function updateManagers(
  options: UpdaterOptions,
  live: TypedObject,
  next: TypedObject,
  managers: Managers,
  manager: string,
): Managers {
  const { apiVersion } = next;
  const reconciled = reconcile(options, live, managers);
  const { managers: others, comparison } = transfer(options, live, next, reconciled, {
    manager,
    force: true,
  });
  const before = others.get(manager)?.set ?? emptySet;
  const owned = union(
    union(difference(before, comparison.removed), comparison.modified),
    comparison.added,
  );
  const set = without(options, apiVersion, owned);
  const out = new Map(others);
  if (set.size) out.set(manager, { set, apiVersion, applied: false });
  else out.delete(manager);
  return out;
}

/**
 * What an apply leads to; `value` is undefined where nothing changes. Throws {@link MergeConflicts}
 * unless forced.
 */
export interface Applied {
  readonly value: Json | undefined;
  readonly managers: Managers;
}

/**
 * Merges `intent` into `live`, and removes what the manager applied before, does not any more, and
 * nobody else owns.
 */
export function applyIntent(
  options: UpdaterOptions,
  live: TypedObject,
  intent: TypedObject,
  managers: Managers,
  by: { readonly manager: string; readonly force: boolean },
): Applied {
  const { apiVersion, type } = intent;
  const reconciled = new Map(reconcile(options, live, managers));
  const merged: TypedObject = {
    apiVersion,
    type,
    value: mergeTyped(type, live.value, intent.value),
  };
  const last = reconciled.get(by.manager);
  const set = without(options, apiVersion, fieldSetOfValue(type, intent.value));
  reconciled.set(by.manager, { set, apiVersion, applied: true });
  const next = last?.set.size
    ? attempt("failed to prune fields", () =>
        prune(options.convert, merged, reconciled, apiVersion, last),
      )
    : merged;
  const outcome = transfer(options, live, next, reconciled, by);
  return {
    value: equalJson(live.value, next.value) ? undefined : next.value,
    managers: outcome.managers,
  };
}

const without = ({ ignored }: UpdaterOptions, apiVersion: string, set: FieldSet): FieldSet => {
  const fields = ignored.get(apiVersion);
  return fields ? recursiveDifference(set, fields) : set;
};

/** Takes changed fields from all other managers, and removed ones from everybody but the writer. */
function transfer(
  options: UpdaterOptions,
  live: TypedObject,
  next: TypedObject,
  managers: Managers,
  by: { readonly manager: string; readonly force: boolean },
): { readonly managers: Managers; readonly comparison: Comparison } {
  const comparisons = new Map<string, Comparison | undefined>();
  const compareIn = (apiVersion: string): Comparison | undefined => {
    if (!comparisons.has(apiVersion))
      comparisons.set(apiVersion, compareVersions(options, live, next, apiVersion));
    return comparisons.get(apiVersion);
  };
  const own = compareIn(next.apiVersion)!;
  const out = new Map<string, VersionedSet>();
  const conflicts: Conflict[] = [];
  for (const [id, owner] of managers) {
    // Fields of a version that is gone cannot be followed.
    const comparison = id === by.manager ? undefined : compareIn(owner.apiVersion);
    if (id === by.manager) out.set(id, owner);
    if (!comparison) continue;
    const taken = intersection(owner.set, union(comparison.modified, comparison.added));
    for (const path of pathsOf(taken)) conflicts.push({ manager: id, path });
    out.set(id, { ...owner, set: difference(difference(owner.set, taken), comparison.removed) });
  }
  if (conflicts.length && !by.force) throw new MergeConflicts(conflicts);
  for (const [id, { set }] of out) if (!set.size) out.delete(id);
  return { managers: out, comparison: own };
}

function compareVersions(
  options: UpdaterOptions,
  live: TypedObject,
  next: TypedObject,
  apiVersion: string,
): Comparison | undefined {
  const before = attempt("failed to convert old object", () => options.convert(live, apiVersion));
  const after =
    before && attempt("failed to convert new object", () => options.convert(next, apiVersion));
  if (!before || !after) return undefined;
  const { added, modified, removed } = compareTyped(before.type, before.value, after.value);
  return {
    added: without(options, apiVersion, added),
    modified: without(options, apiVersion, modified),
    removed: without(options, apiVersion, removed),
  };
}

/** Managers whose version is gone are dropped on the way. */
function reconcile(options: UpdaterOptions, live: TypedObject, managers: Managers): Managers {
  const out = new Map<string, VersionedSet>();
  for (const [id, owner] of managers) {
    const converted = options.convert(live, owner.apiVersion);
    if (converted) out.set(id, { ...owner, set: reconcileFieldSet(owner.set, converted.type) });
  }
  return out;
}
