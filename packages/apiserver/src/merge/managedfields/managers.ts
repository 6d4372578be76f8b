// Managers and the fields that they own, as the updater takes and returns them.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/managers.go, merge/conflict.go.
import type { Json } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import type { FieldPath } from "../fieldpath/field-path.ts";
import type { FieldSet } from "../fieldpath/field-set.ts";

/** A value, its apiVersion, and the type of that version, which the value fits. */
export interface TypedObject {
  readonly apiVersion: string;
  readonly type: SmdType;
  readonly value: Json;
}

/** The fields that one manager owns, in the version that it wrote. */
export interface VersionedSet {
  readonly set: FieldSet;
  readonly apiVersion: string;
  readonly applied: boolean;
}

/** Managers by identifier. */
export type Managers = ReadonlyMap<string, VersionedSet>;

/** A field that an apply would change although another manager owns it. */
export interface Conflict {
  readonly manager: string;
  readonly path: FieldPath;
}

/** An apply without force would change fields of other managers. */
export class MergeConflicts extends Error {
  override readonly name = "MergeConflicts";
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super(`${conflicts.length} field(s) are owned by other managers; force the apply to take them`);
    this.conflicts = conflicts;
  }
}

/**
 * Converts objects between versions; undefined when the version does not exist. Throws {@link
 * MergeError} when conversion fails.
 */
export type ConvertTyped = (object: TypedObject, apiVersion: string) => TypedObject | undefined;
