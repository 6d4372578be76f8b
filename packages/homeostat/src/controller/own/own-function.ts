// The type of `own`, as users call it.
import type { Kind, ManifestOf, ObjectOf } from "../../api/kind.ts";

/** Options of `own`. */
export interface OwnOptions<K extends Kind = any> {
  /** Names a set, for several sets of one kind; each set prunes only its own members. */
  readonly set?: string;
  /** Adopts an existing object that has no controller. Default: such an object is an error. */
  readonly adopt?: boolean;
  /**
   * Orders the sets of a reconcile: objects are applied once all objects of sets with a lower order
   * are ready, and deleted before those. Until then own() changes nothing, resolves to those of the
   * objects that exist, and the reconcile counts as waiting unless it returns another result.
   */
  readonly order?: number;
  /**
   * Whether an object is ready, for sets with a higher order. Default: what the object's status
   * says; objects of kinds that report no readiness are ready once they exist. Not called with
   * an object that does not match its definition, which is not ready.
   */
  readonly ready?: (object: ObjectOf<K>) => boolean;
}

/** In place of an object that is not desired: what `wanted && Kind(…)` is when it is not wanted. */
export type LeftOut = undefined | null | false;

/** True for no object. Other values, such as an empty name, are mistakes. */
export function isLeftOut(one: unknown): one is LeftOut {
  return one === undefined || one === null || one === false;
}

/**
 * Brings the owned objects of one kind to the state in `desired`: applies differences and deletes
 * objects that are no longer desired. Resolves to the current objects, in the order of `desired`,
 * without those that are left out: `own(Kind, [wanted && Kind(…)])`.
 */
export type Own<Owned extends Kind> = [Owned] extends [never]
  ? (...undeclared: readonly "ERR_UNDECLARED: list the kind in `owns`"[]) => never
  : <O extends Owned>(
      kind: O,
      desired: readonly (ManifestOf<O> | LeftOut)[],
      options?: OwnOptions<O>,
    ) => Promise<readonly ObjectOf<O>[]>;
