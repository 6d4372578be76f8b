// Adapts a field set to a schema that changed after the set was written: fields that became atomic
// are owned as a whole. Fields that became granular stay owned as they are.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/reconcile_schema.go.
import type { PathElement } from "../fieldpath/field-path.ts";
import {
  type FieldSet,
  type FieldSetBuilder,
  insertPath,
  recursiveDifference,
  typeBelow,
  union,
} from "../fieldpath/field-set.ts";
import { deducedType, type SmdMap, type SmdType } from "../../apimachinery/types/smd-type.ts";

/** Returns the set itself when nothing changes. */
export function reconcileFieldSet(set: FieldSet, type: SmdType): FieldSet {
  const atomic: FieldSetBuilder = new Map();
  visit(atomic, [], type, { set, whole: false });
  return atomic.size ? union(recursiveDifference(set, atomic), atomic) : set;
}

/** The part of a field set at one path. */
interface Owned {
  readonly set: FieldSet | undefined;
  /** The set has the field as a member, and nothing below it. */
  readonly whole: boolean;
}

/** The path of the visited part; each visit leaves it as it was. */
type OpenPath = PathElement[];

function visit(atomic: FieldSetBuilder, path: OpenPath, type: SmdType, owned: Owned): void {
  if (type.map) return visitMap(atomic, path, type, owned);
  if (type.scalar || !type.list) return;
  if (!owned.whole && type.list.relation === "atomic") return insertPath(atomic, path);
  descend(atomic, path, type, owned.set);
}

function visitMap(atomic: FieldSetBuilder, path: OpenPath, type: SmdType, owned: Owned): void {
  if (isFreeForm(type.map!)) return;
  if (!owned.whole && type.map!.relation === "atomic") {
    if (owned.set?.size) insertPath(atomic, path);
    return;
  }
  descend(atomic, path, type, owned.set);
}

function descend(
  atomic: FieldSetBuilder,
  path: OpenPath,
  type: SmdType,
  set: FieldSet | undefined,
): void {
  for (const { element, member, below } of set?.values() ?? []) {
    const inner = typeOfStep(type, element);
    if (!inner) continue;
    path.push(element);
    visit(atomic, path, inner, { set: below, whole: member && !below });
    path.pop();
  }
}

/** All steps into a list lead to its element type. Fields that the schema lacks are skipped. */
function typeOfStep(type: SmdType, element: PathElement): SmdType | undefined {
  if (!type.map) return type.list?.element();
  return element.at === "field" ? typeBelow(type, element) : type.map.element?.();
}

/** Deduced types are neither atomic nor granular. */
const isFreeForm = (map: SmdMap): boolean => {
  if (map.hasFields || !map.element) return false;
  const element = map.element();
  return element === deducedType || element.scalar === "untyped";
};
