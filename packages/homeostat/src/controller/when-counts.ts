// Whether `when` lets an update pass.
import type { CachedObject, HandlerCause } from "../cache/informer.ts";
import { describeError } from "../util/describe-error.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { refusePromise } from "../util/refuse-promise.ts";
import type { Predicate } from "./predicates.ts";
import type { WarnOnce } from "./warn-once.ts";

/** An update as a handler receives it. */
export interface Update {
  readonly old: CachedObject;
  readonly object: CachedObject;
  readonly cause: HandlerCause;
}

/** A controller's `when`. */
export interface When {
  readonly when: Predicate | undefined;
  /** Its place, e.g. `ref parts of controller "box"`. */
  readonly of: string;
  readonly warnings: WarnOnce;
}

/**
 * The begin of a deletion and a resync always count; so does an update for which `when` throws or
 * returns a promise, which is reported once. What it says of an object that it has read and that
 * does not match its definition is nothing to go by: the update counts.
 */
export function whenCounts({ when, of, warnings }: When, { old, object, cause }: Update): boolean {
  if (!when || cause.through === "resync" || old.deleting !== object.deleting) return true;
  try {
    const passes = refusePromise(when(old, object), "`when`", "a boolean");
    return passes || isMismatched(old, object);
  } catch (error) {
    if (isMismatched(old, object)) return true;
    const fault = isHomeostatError(error, "ERR_ASYNC_FUNCTION")
      ? "returned a promise; it must return a boolean"
      : `threw ${describeError(error)}`;
    const message = `\`when\` of ${of} ${fault}; the update counts`;
    warnings.warn(of, "when", { message, error });
    return true;
  }
}

const isMismatched = (...objects: readonly CachedObject[]): boolean =>
  objects.some(({ mismatch }) => mismatch !== undefined);
