// Which fields one value adds to another, changes in it and removes from it.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/compare.go.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { type Alternative, alternativeOf, settle } from "./atom.ts";
import { compareDeduced } from "./deduced.ts";
import {
  type FieldPath,
  fieldElement,
  formatPathElement,
  type PathElement,
} from "../fieldpath/field-path.ts";
import { type FieldSet, type FieldSetBuilder, insertPath } from "../fieldpath/field-set.ts";
import { itemElement } from "./list-item.ts";
import {
  deducedType,
  type SmdList,
  type SmdMap,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";
import { below, throwTypedErrors, type TypedError } from "./typed-error.ts";
import { validateScalar } from "./validate-typed.ts";

/** No field is in more than one of the three; all are empty where the values are equal. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Side = Json | undefined;
interface Walk {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

/** Throws {@link MergeError} where neither side fits the type. */
export function compareTyped(type: SmdType, left: Json, right: Json): Comparison {
  const walk: Walk = { added: new Map(), modified: new Map(), removed: new Map() };
  throwTypedErrors(compare(walk, [], type, left, right), "failed to compare objects: ");
  return walk;
}

function compare(
  walk: Walk,
  path: FieldPath,
  type: SmdType,
  left: Side,
  right: Side,
): readonly TypedError[] {
  // Equal parts contribute nothing, whatever their type.
  if (left !== undefined && right !== undefined && equalJson(left, right)) return [];
  if (type === deducedType) {
    compareDeduced(walk, path, left, right);
    return [];
  }
  const leftIs = alternativeOf(type, left),
    rightIs = alternativeOf(type, right);
  const errors: TypedError[] = [];
  let leaf: boolean;
  const handle = (alternative: Alternative): boolean => {
    const outcome = compareAs(walk, path, type, alternative, left, right);
    if (Array.isArray(outcome)) errors.push(...outcome);
    return outcome === "leaf";
  };
  if (right === undefined) leaf = handle(leftIs);
  else if (left === undefined || leftIs === rightIs) leaf = handle(rightIs);
  else {
    handle(leftIs);
    leaf = handle(rightIs);
  }
  if (!leaf) noteOneSided(walk, path, left, right);
  return errors;
}

function noteOneSided(walk: Walk, path: FieldPath, left: Side, right: Side): void {
  if (left === undefined) insertPath(walk.added, path);
  else if (right === undefined) insertPath(walk.removed, path);
}

/** "leaf" where the value was compared as a whole. */
function compareAs(
  walk: Walk,
  path: FieldPath,
  type: SmdType,
  alternative: Alternative,
  left: Side,
  right: Side,
): "leaf" | readonly TypedError[] {
  switch (settle(type, alternative)) {
    case "scalar": {
      const errors = [
        validateScalar(type.scalar!, left, "lhs: "),
        validateScalar(type.scalar!, right, "rhs: "),
      ] as const;
      return errors[0].length && errors[1].length
        ? errors.flat()
        : compareLeaf(walk, path, left, right);
    }
    case "map":
      return compareMaps(walk, path, type.map!, left, right);
    case "list":
      return compareLists(walk, path, type.list!, left, right);
  }
}

function compareLeaf(walk: Walk, path: FieldPath, left: Side, right: Side): "leaf" {
  if (left === undefined || right === undefined) noteOneSided(walk, path, left, right);
  else if (!equalJson(left, right)) insertPath(walk.modified, path);
  return "leaf";
}

const noMembers: JsonObject = {};

function compareMaps(
  walk: Walk,
  path: FieldPath,
  type: SmdMap,
  left: Side,
  right: Side,
): "leaf" | readonly TypedError[] {
  const l = isObject(left) ? left : noMembers,
    r = isObject(right) ? right : noMembers;
  const names = [...Object.keys(l), ...Object.keys(r).filter((name) => !Object.hasOwn(l, name))];
  // Two empty sides are one leaf, so that empty and null stay different.
  if (type.relation === "atomic" || !names.length) return compareLeaf(walk, path, left, right);
  const errors: TypedError[] = [];
  for (const name of names) {
    const element = fieldElement(name);
    const fieldType = (type.field(name)?.type ?? type.element)?.();
    const own = (side: JsonObject): Side => (Object.hasOwn(side, name) ? side[name] : undefined);
    if (fieldType)
      errors.push(
        ...below(
          formatPathElement(element),
          compare(walk, [...path, element], fieldType, own(l), own(r)),
        ),
      );
  }
  return errors;
}

interface Items {
  readonly element: PathElement;
  readonly left: Json[];
  readonly right: Json[];
}

function compareLists(
  walk: Walk,
  path: FieldPath,
  type: SmdList,
  left: Side,
  right: Side,
): "leaf" | readonly TypedError[] {
  const l = Array.isArray(left) ? left : [],
    r = Array.isArray(right) ? right : [];
  if (type.relation === "atomic" || (!l.length && !r.length))
    return compareLeaf(walk, path, left, right);
  const errors: TypedError[] = [];
  const byElement = new Map<string, Items>();
  const gather = (list: readonly Json[], side: "left" | "right"): void => {
    for (const [i, item] of list.entries()) {
      const element = itemElement(type, item);
      if (typeof element === "string") {
        errors.push({ path: "", message: `element ${i}: ${element}` });
        continue;
      }
      let items = byElement.get(element.id);
      if (!items) byElement.set(element.id, (items = { element, left: [], right: [] }));
      items[side].push(item);
    }
  };
  gather(l, "left");
  gather(r, "right");
  for (const items of byElement.values())
    errors.push(...compareItems(walk, [...path, items.element], type, items));
  return errors;
}

/** Items of one element; more than one on a side are duplicates, which are tracked as a whole. */
function compareItems(
  walk: Walk,
  path: FieldPath,
  type: SmdList,
  { element, left, right }: Items,
): readonly TypedError[] {
  const one = (l: Side, r: Side): readonly TypedError[] =>
    l === undefined && r === undefined
      ? []
      : below(formatPathElement(element), compare(walk, path, type.element(), l, r));
  if (left.length <= 1 && right.length <= 1) return one(left[0], right[0]);
  if (left.length > 1 && right.length > 1) {
    if (!equalJson(left, right)) insertPath(walk.modified, path);
    return [];
  }
  const errors = left.length > 1 ? one(undefined, right[0]) : one(left[0], undefined);
  insertPath(left.length > 1 ? walk.removed : walk.added, path);
  return errors;
}
