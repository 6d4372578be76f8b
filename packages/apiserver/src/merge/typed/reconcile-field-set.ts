// Fits a field set to a schema that has changed since the set was written: what was granular and is
// atomic now is owned as a whole. The other direction needs nothing: an atomic field stays owned as
// it was.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go.
import type { FieldPath, PathElement } from "../fieldpath/field-path.ts";
import {
  type FieldSet,
  type FieldSetBuilder,
  insertPath,
  recursiveDifference,
  typeBelow,
  union,
} from "../fieldpath/field-set.ts";
import { deducedType, type SmdMap, type SmdType } from "../../apimachinery/types/smd-type.ts";

/** The set itself where nothing changed. */
export function reconcileFieldSet(set: FieldSet, type: SmdType): FieldSet {
  const atomic: FieldSetBuilder = new Map();
  visit(atomic, [], type, set, "open");
  return atomic.size ? union(recursiveDifference(set, atomic), atomic) : set;
}

/** "whole" where the set owns the field and nothing below it. */
type Ownership = "whole" | "open";

function visit(
  atomic: FieldSetBuilder,
  path: FieldPath,
  type: SmdType,
  set: FieldSet | undefined,
  ownership: Ownership,
): void {
  if (type.map) return visitMap(atomic, path, type, set, ownership);
  if (type.scalar || !type.list) return;
  if (ownership === "open" && type.list.relation === "atomic") return insertPath(atomic, path);
  descend(atomic, path, type, set);
}

function visitMap(
  atomic: FieldSetBuilder,
  path: FieldPath,
  type: SmdType,
  set: FieldSet | undefined,
  ownership: Ownership,
): void {
  if (isFreeForm(type.map!)) return;
  if (ownership === "open" && type.map!.relation === "atomic") {
    if (set?.size) insertPath(atomic, path);
    return;
  }
  descend(atomic, path, type, set);
}

function descend(
  atomic: FieldSetBuilder,
  path: FieldPath,
  type: SmdType,
  set: FieldSet | undefined,
): void {
  for (const { element, member, below } of set?.values() ?? []) {
    const inner = typeOfStep(type, element);
    if (inner) visit(atomic, [...path, element], inner, below, member && !below ? "whole" : "open");
  }
}

/**
 * Every item of a list has its element type, whatever kind of step leads there; fields that the
 * schema lacks are passed over.
 */
const typeOfStep = (type: SmdType, element: PathElement): SmdType | undefined =>
  type.map
    ? element.at === "field"
      ? typeBelow(type, element)
      : type.map.element?.()
    : type.list?.element();

/** Deduced types know nothing of atomic and granular. */
const isFreeForm = (map: SmdMap): boolean => {
  if (map.hasFields || !map.element) return false;
  const element = map.element();
  return element === deducedType || element.scalar === "untyped";
};
