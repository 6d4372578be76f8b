// References: objects that an object names or selects. A declared reference becomes an index and a
// watch, and its target is available in reconcile.
import type { Kind, ObjectOf } from "../api/kind.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../util/option-faults.ts";
import type { Predicate } from "./predicates.ts";
import type { Selection } from "./watching/selection.ts";

/**
 * The name of a target, with a namespace unless it is the object's own; undefined for no target.
 */
export type Target = string | { readonly namespace: string; readonly name: string } | undefined;

/** What a reference to many objects returns: names, or a selection in the object's namespace. */
export type Targets = Selection | undefined | readonly Target[];

/** A declared reference from `Source` to one or many objects of kind `K`. */
export interface Ref<Source, K extends Kind, Many extends boolean> {
  readonly target: K;
  readonly many: Many;
  /** Must be pure: it runs for every change of a source. */
  readonly select: (object: Source) => Target | Targets;
  readonly when?: Predicate | undefined;
}

/** Options of a reference. */
export interface RefOptions<K extends Kind> {
  /**
   * Drops updates of targets for which it returns false. Targets that appear, disappear, or begin
   * or cease to match always count; so does the begin of a deletion.
   */
  readonly when?: Predicate<ObjectOf<K>>;
}

/**
 * A reference to one object: `ref(Chef, (order) => order.spec.chef)`.
 * @throws ERR_CONTROLLER_DEFINITION
 */
export function ref<Source, K extends Kind>(
  target: K,
  select: (object: Source) => Target,
  options: RefOptions<K> = {},
): Ref<Source, K, false> {
  return { target, many: false, select, when: whenOf(target, options) };
}

/**
 * A reference to many objects: `refs(Ingredient, (meal) => meal.spec.ingredients)`. Reconcile
 * receives those that exist, in the order named. A selection refers to all objects that match, by
 * key: `refs(Pod, (service) => ({ labels: service.spec.selector }))`; its namespace is the object's
 * own unless it names another, and undefined selects nothing. @throws ERR_CONTROLLER_DEFINITION
 */
export function refs<Source, K extends Kind>(
  target: K,
  select: (object: Source) => Targets,
  options: RefOptions<K> = {},
): Ref<Source, K, true> {
  return { target, many: true, select, when: whenOf(target, options) };
}

/** The kind, the function and the predicate are checked with the controller's definition. */
function whenOf<K extends Kind>(target: K | undefined, options: RefOptions<K>) {
  const [problem] = isOptions(options)
    ? unknownOptions(options, ["when"])
    : [`its options are ${describeMissing(options)}, expected { when }`];
  if (problem === undefined) return options.when as Predicate | undefined;
  throw new HomeostatError(
    "ERR_CONTROLLER_DEFINITION",
    `declaring a reference to ${target?.kind}: ${problem}`,
    { hint: "correct what the message names" },
  );
}
