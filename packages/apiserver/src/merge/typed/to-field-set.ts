// The set of fields in a value, which its applier owns.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go.
import { isObject, type Json } from "homeostat/api";
import { deduceAtom, settle } from "./atom.ts";
import { insertFieldsOf } from "./deduced.ts";
import { fieldElement, type PathElement } from "../fieldpath/field-path.ts";
import { type FieldSet, type FieldSetBuilder, insertPath } from "../fieldpath/field-set.ts";
import { itemElement } from "./list-item.ts";
import {
  deducedType,
  type SmdList,
  type SmdMap,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";

/**
 * Leaves, list items, map keys, and empty or null maps. Maps and lists that the schema names are
 * not members themselves. The value must fit its type.
 */
export function toFieldSet(type: SmdType, value: Json): FieldSet {
  const set: FieldSetBuilder = new Map();
  visit(set, [], type, value);
  return set;
}

function visit(
  set: FieldSetBuilder,
  path: readonly PathElement[],
  type: SmdType,
  value: Json,
): void {
  if (type === deducedType) return insertFieldsOf(set, path, value);
  switch (settle(type, deduceAtom(type, value))) {
    case "scalar":
      return insertPath(set, path);
    case "map":
      return type.map!.relation === "atomic"
        ? insertPath(set, path)
        : visitMap(set, path, type.map!, value);
    case "list":
      return type.list!.relation === "atomic"
        ? insertPath(set, path)
        : visitList(set, path, type.list!, value);
  }
}

function visitMap(
  set: FieldSetBuilder,
  path: readonly PathElement[],
  type: SmdMap,
  value: Json,
): void {
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    const inner = [...path, fieldElement(name)],
      member = value[name]!;
    const known = type.field(name);
    const memberType = (known?.type ?? type.element)?.();
    if (memberType) visit(set, inner, memberType, member);
    if (member === null || (isObject(member) && !Object.keys(member).length) || !known)
      insertPath(set, inner);
  }
}

/** A duplicate item is a member as a whole, without fields below it. */
function visitList(
  set: FieldSetBuilder,
  path: readonly PathElement[],
  type: SmdList,
  value: Json,
): void {
  if (!Array.isArray(value)) return;
  const elements = value.map((item) => itemElement(type, item));
  const counts = new Map<string, number>();
  for (const element of elements)
    if (typeof element !== "string") counts.set(element.id, (counts.get(element.id) ?? 0) + 1);
  for (const [i, element] of elements.entries()) {
    if (typeof element === "string") continue;
    const inner = [...path, element];
    insertPath(set, inner);
    if (counts.get(element.id) === 1) visit(set, inner, type.element(), value[i]!);
  }
}
