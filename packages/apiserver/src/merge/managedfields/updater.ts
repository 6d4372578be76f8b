// Updates the field sets of all managers, and the object, on updates and applies. Knows nothing of
// managedFields entries or of Kubernetes metadata.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/merge/update.go.
import { equalJson, type Json } from "homeostat/api";
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isSubset,
  pathsOf,
  recursiveDifference,
  union,
} from "../fieldpath/field-set.ts";
import { attempt } from "../fieldpath/merge-error.ts";
import { compareTyped, type Comparison } from "../typed/compare-typed.ts";
import { mergeTyped } from "../typed/merge-typed.ts";
import { reconcileFieldSet } from "../typed/reconcile-field-set.ts";
import { toFieldSet } from "../typed/to-field-set.ts";
import {
  type Conflict,
  type ConvertTyped,
  type Managers,
  MergeConflicts,
  type TypedObject,
  type VersionedSet,
} from "./managers.ts";
import { prune } from "./prune.ts";

/** What all writes of one endpoint have in common. */
export interface UpdaterOptions {
  readonly convert: ConvertTyped;
  /** Fields that cannot be owned through this endpoint, by apiVersion. */
  readonly ignored: ReadonlyMap<string, FieldSet>;
}

/** The outcome of an apply; `value` is undefined when the object does not change. */
export interface Applied {
  readonly value: Json | undefined;
  readonly managers: Managers;
}

/** Who applies. */
export interface Applier {
  readonly manager: string;
  readonly force: boolean;
}

/** The object before and after a write. */
interface Change {
  readonly live: TypedObject;
  readonly next: TypedObject;
}

/** What a write changed, in one version. */
interface Changed {
  readonly comparison: Comparison;
  /** Fields with a new value. */
  readonly written: FieldSet;
}

const changedBy = (comparison: Comparison | undefined): Changed | undefined =>
  comparison && { comparison, written: union(comparison.modified, comparison.added) };

/**
 * Whether an applier applies all that it applied before, in the version of all managers: then
 * everything that pruning removed would be restored, as its manager still owns it.
 */
function dropsNothing(last: VersionedSet, managers: Managers, applier: string): boolean {
  const { set, apiVersion } = managers.get(applier)!;
  for (const owner of managers.values()) if (owner.apiVersion !== apiVersion) return false;
  return last.apiVersion === apiVersion && isSubset(last.set, set);
}

/** Tracks ownership for one endpoint. */
export class Updater {
  readonly #convert: ConvertTyped;
  readonly #ignored: ReadonlyMap<string, FieldSet>;

  constructor({ convert, ignored }: UpdaterOptions) {
    this.#convert = convert;
    this.#ignored = ignored;
  }

  /**
   * Managers after `manager` replaced `live` by `next`: it also owns all fields that it changed.
   */
  update(live: TypedObject, next: TypedObject, managers: Managers, manager: string): Managers {
    const { apiVersion } = next;
    const reconciled = this.#reconcile(live, managers);
    const by = { manager, force: true };
    const { managers: others, comparison } = this.#transfer({ live, next }, reconciled, by);
    const before = others.get(manager)?.set ?? emptySet;
    const owned = union(
      union(difference(before, comparison.removed), comparison.modified),
      comparison.added,
    );
    const set = this.#withoutIgnored(apiVersion, owned);
    const out = new Map(others);
    if (set.size) out.set(manager, { set, apiVersion, applied: false });
    else out.delete(manager);
    return out;
  }

  /**
   * Merges `intent` into `live`, and removes the fields that the manager applied before, does not
   * apply now, and no other manager owns. Throws {@link MergeConflicts} unless forced.
   */
  apply(live: TypedObject, intent: TypedObject, managers: Managers, by: Applier): Applied {
    const { apiVersion, type } = intent;
    const reconciled = new Map(this.#reconcile(live, managers));
    const merged: TypedObject = {
      apiVersion,
      type,
      value: mergeTyped(type, live.value, intent.value),
    };
    const last = reconciled.get(by.manager);
    const set = this.#withoutIgnored(apiVersion, toFieldSet(type, intent.value));
    reconciled.set(by.manager, { set, apiVersion, applied: true });
    const next =
      last?.set.size && !dropsNothing(last, reconciled, by.manager)
        ? attempt("failed to prune fields", () =>
            prune(merged, { convert: this.#convert, managers: reconciled, last }),
          )
        : merged;
    const outcome = this.#transfer({ live, next }, reconciled, by);
    return {
      value: equalJson(live.value, next.value) ? undefined : next.value,
      managers: outcome.managers,
    };
  }

  /** Takes changed fields from all other managers, and removed fields from all but the writer. */
  #transfer(
    change: Change,
    managers: Managers,
    by: Applier,
  ): { readonly managers: Managers; readonly comparison: Comparison } {
    const comparisons = new Map<string, Changed | undefined>();
    const compareIn = (apiVersion: string): Changed | undefined => {
      if (!comparisons.has(apiVersion))
        comparisons.set(apiVersion, changedBy(this.#compare(change, apiVersion)));
      return comparisons.get(apiVersion);
    };
    const own = compareIn(change.next.apiVersion)!;
    const out = new Map<string, VersionedSet>();
    const conflicts: Conflict[] = [];
    for (const [id, owner] of managers) {
      if (id === by.manager) {
        out.set(id, owner);
        continue;
      }
      const changed = compareIn(owner.apiVersion);
      // Managers of a version that no longer exists are dropped.
      if (!changed) continue;
      const taken = intersection(owner.set, changed.written);
      if (!by.force) for (const path of pathsOf(taken)) conflicts.push({ manager: id, path });
      const set = difference(difference(owner.set, taken), changed.comparison.removed);
      out.set(id, { ...owner, set });
    }
    if (conflicts.length) throw new MergeConflicts(conflicts);
    for (const [id, { set }] of out) if (!set.size) out.delete(id);
    return { managers: out, comparison: own.comparison };
  }

  #compare({ live, next }: Change, apiVersion: string): Comparison | undefined {
    const before = attempt("failed to convert old object", () => this.#convert(live, apiVersion));
    const after =
      before && attempt("failed to convert new object", () => this.#convert(next, apiVersion));
    if (!before || !after) return undefined;
    const { added, modified, removed } = compareTyped(before.type, before.value, after.value);
    return {
      added: this.#withoutIgnored(apiVersion, added),
      modified: this.#withoutIgnored(apiVersion, modified),
      removed: this.#withoutIgnored(apiVersion, removed),
    };
  }

  /**
   * Adapts all sets to the current schema. Managers of versions that no longer exist are dropped.
   */
  #reconcile(live: TypedObject, managers: Managers): Managers {
    const out = new Map<string, VersionedSet>();
    for (const [id, owner] of managers) {
      const converted = this.#convert(live, owner.apiVersion);
      if (converted) out.set(id, { ...owner, set: reconcileFieldSet(owner.set, converted.type) });
    }
    return out;
  }

  #withoutIgnored(apiVersion: string, set: FieldSet): FieldSet {
    const fields = this.#ignored.get(apiVersion);
    return fields ? recursiveDifference(set, fields) : set;
  }
}
