// Whether `when` lets an update pass. Pure.
import type { CachedObject, HandlerCause } from "../cache/informer.ts";
import type { Predicate } from "./predicates.ts";

/** An update as a handler receives it. */
export interface Update {
  readonly old: CachedObject;
  readonly object: CachedObject;
  readonly cause: HandlerCause;
}

/** The begin of a deletion and a resync always count; so does an update for which `when` throws. */
export function whenCounts(when: Predicate | undefined, { old, object, cause }: Update): boolean {
  if (!when || cause.through === "resync" || old.deleting !== object.deleting) return true;
  try {
    return when(old, object);
  } catch {
    return true;
  }
}
