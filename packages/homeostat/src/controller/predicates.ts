// Predicates decide by comparing two revisions whether an update wakes a controller. These read
// metadata scanned from the cached text, so that a dropped update is never parsed.
// Upstream: sigs.k8s.io/controller-runtime/pkg/predicate.
import type { CachedObject } from "../cache/informer.ts";
import { argumentError } from "../util/argument-error.ts";
import { refusePromise } from "../util/refuse-promise.ts";
import { checkArgument } from "../util/call-options.ts";

/** Decides whether an update counts. Must be pure; `read()` of its arguments parses. */
export type Predicate<O = any> = (old: CachedObject<O>, object: CachedObject<O>) => boolean;

/** True when the generation has changed: with the spec, for kinds whose status is a subresource. */
export const generationChanged: Predicate = (old, object) =>
  revision(old).generation !== revision(object).generation;

/** True when labels have changed. */
export const labelsChanged: Predicate = (old, object) =>
  revision(old).metadataText("labels") !== revision(object).metadataText("labels");

/** True when annotations have changed. */
export const annotationsChanged: Predicate = (old, object) =>
  revision(old).metadataText("annotations") !== revision(object).metadataText("annotations");

/**
 * Both arguments of a predicate are needed: `when: (old, object) => labelsChanged(old, object)`.
 */
function revision(given: CachedObject): CachedObject {
  if (typeof (given as Partial<CachedObject> | null | undefined)?.metadataText === "function")
    return given;
  throw argumentError("a predicate", given, "the two revisions that `when` is called with");
}

function checkPredicates(call: string, predicates: readonly unknown[]): void {
  for (const one of predicates) checkArgument(call, ["a predicate", one], "a function");
}

const inner = ["a predicate", "a boolean"] as const;

/** True when all predicates are. */
export function and<O>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  checkPredicates("and(…)", predicates);
  return (old, object) => predicates.every((one) => refusePromise(one(old, object), ...inner));
}

/** True when one of the predicates is: `or(generationChanged, labelsChanged)`. */
export function or<O>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  checkPredicates("or(…)", predicates);
  return (old, object) => predicates.some((one) => refusePromise(one(old, object), ...inner));
}

/** True when the predicate is not. */
export function not<O>(predicate: Predicate<O>): Predicate<O> {
  checkPredicates("not(…)", [predicate]);
  return (old, object) => !refusePromise(predicate(old, object), ...inner);
}
