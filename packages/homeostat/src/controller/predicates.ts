// Predicates decide by comparing two revisions whether an update wakes a controller. These read
// metadata scanned from the cached text, so that a dropped update is never parsed.
// Upstream: sigs.k8s.io/controller-runtime/pkg/predicate.
import type { CachedObject } from "../cache/informer.ts";
import { refusePromise } from "../util/refuse-promise.ts";

/** Decides whether an update counts. Must be pure; `read()` of its arguments parses. */
export type Predicate<O = any> = (old: CachedObject<O>, object: CachedObject<O>) => boolean;

/** True when the generation has changed: with the spec, for kinds whose status is a subresource. */
export const generationChanged: Predicate = (old, object) => old.generation !== object.generation;

/** True when labels have changed. */
export const labelsChanged: Predicate = (old, object) =>
  old.metadataText("labels") !== object.metadataText("labels");

/** True when annotations have changed. */
export const annotationsChanged: Predicate = (old, object) =>
  old.metadataText("annotations") !== object.metadataText("annotations");

const inner = ["a predicate", "a boolean"] as const;

/** True when all predicates are. */
export function and<O>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (old, object) => predicates.every((one) => refusePromise(one(old, object), ...inner));
}

/** True when one of the predicates is: `or(generationChanged, labelsChanged)`. */
export function or<O>(...predicates: readonly Predicate<O>[]): Predicate<O> {
  return (old, object) => predicates.some((one) => refusePromise(one(old, object), ...inner));
}

/** True when the predicate is not. */
export function not<O>(predicate: Predicate<O>): Predicate<O> {
  return (old, object) => !refusePromise(predicate(old, object), ...inner);
}
