// References: other objects that an object names. Declared once, they become an index, a watch and
// a permission, and the object behind them is at hand in reconcile.
import type { Kind } from "../api/kind.ts";

/** The name of a target, in the same namespace unless one is given; nothing when there is none. */
export type Target = string | { readonly namespace: string; readonly name: string } | undefined;

/** A declared reference from `Source` to one or many objects of kind `K`. */
export interface Ref<Source, K extends Kind, Many extends boolean> {
  readonly target: K;
  readonly many: Many;
  /** Must be pure: it runs whenever a source is seen. */
  readonly select: (object: Source) => Target | readonly Target[];
}

/** A reference to one object: `ref(Chef, (order) => order.spec.chef)`. */
export function ref<Source, K extends Kind>(
  target: K,
  select: (object: Source) => Target,
): Ref<Source, K, false> {
  return { target, many: false, select };
}

/**
 * A reference to many objects: `refs(Ingredient, (meal) => meal.spec.ingredients)`. Those that
 * exist are handed over, in the order named.
 */
export function refs<Source, K extends Kind>(
  target: K,
  select: (object: Source) => readonly Target[],
): Ref<Source, K, true> {
  return { target, many: true, select };
}
