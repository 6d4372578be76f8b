// Entries of `owns` that say more than the kind.
import type { Kind, ObjectOf } from "../api/kind.ts";
import type { Predicate } from "./predicates.ts";

/** Options of {@link owned}. */
export interface OwnedOptions<K extends Kind> {
  /**
   * Drops updates of owned objects for which it returns false. Objects that appear, disappear or
   * change their owner always count; so does the begin of a deletion.
   */
  readonly when?: Predicate<ObjectOf<K>>;
}

const predicates = new WeakMap<Kind, Predicate>();

/**
 * An owned kind whose changes reconcile under a condition: `owns: [owned(Deployment, { when })]`.
 */
export function owned<K extends Kind>(kind: K, { when }: OwnedOptions<K>): K {
  const entry = Object.create(kind) as K;
  if (when) predicates.set(entry, when as Predicate);
  return entry;
}

/** The predicate of an entry of `owns`. */
export function whenOwned(kind: Kind): Predicate | undefined {
  return predicates.get(kind);
}
