// Sets of fields, and the algebra on them. A field may be a member, have members below it, or both; that a field has
// members below does not make it one.
// A set, once handed on, is immutable: results share parts with their operands. Only `insertPath` writes, and only its
// maker may call it, before sharing.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go.
import { comparePathElements, type FieldPath, type PathElement } from "./field-path.ts";
import type { SmdType } from "./smd-type.ts";

/** One field of a set and what the set holds below it; never neither of the two. */
export interface FieldSetNode {
  readonly element: PathElement;
  readonly member: boolean;
  readonly below: FieldSet | undefined;
}

/** Fields by the `id` of their last step. */
export type FieldSet = ReadonlyMap<string, FieldSetNode>;

/** A set under construction. */
export type FieldSetBuilder = Map<string, { readonly element: PathElement; member: boolean; below: FieldSetBuilder | undefined }>;

/** Adds one path; fields on the way to it do not become members. */
export function insertPath(set: FieldSetBuilder, path: FieldPath): void {
  let level = set;
  for (let i = 0; i < path.length; i++) {
    const element = path[i]!;
    let node = level.get(element.id);
    if (!node) level.set(element.id, (node = { element, member: false, below: undefined }));
    if (i === path.length - 1) node.member = true;
    else level = node.below ??= new Map();
  }
}

/** A set of exactly these paths. */
export function fieldSetOf(paths: Iterable<FieldPath>): FieldSet {
  const set: FieldSetBuilder = new Map();
  for (const path of paths) insertPath(set, path);
  return set;
}

export const emptySet: FieldSet = fieldSetOf([]);

const nodeOf = (element: PathElement, member: boolean, below: FieldSet | undefined): FieldSetNode | undefined =>
  member || below?.size ? { element, member, below: below?.size ? below : undefined } : undefined;

function collect(nodes: Iterable<FieldSetNode | undefined>): FieldSet {
  const out = new Map<string, FieldSetNode>();
  for (const node of nodes) if (node) out.set(node.element.id, node);
  return out;
}

/** Fields in either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (!a.size) return b;
  if (!b.size) return a;
  const out = new Map(a);
  for (const [id, right] of b) {
    const left = a.get(id);
    out.set(id, left ? { element: left.element, member: left.member || right.member, below: left.below && right.below ? union(left.below, right.below) : (left.below ?? right.below) } : right);
  }
  return out;
}

/** Fields in both. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet =>
  collect(
    [...a.values()].map((left) => {
      const right = b.get(left.element.id);
      return right && nodeOf(left.element, left.member && right.member, left.below && right.below && intersection(left.below, right.below));
    }),
  );

/** Fields in `a` that are not in `b`; what lies below a field of `b` stays. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  collect(
    [...a.values()].map((left) => {
      const right = b.get(left.element.id);
      if (!right) return left;
      return nodeOf(left.element, left.member && !right.member, left.below && right.below ? difference(left.below, right.below) : left.below);
    }),
  );

/** Fields in `a` that are neither in `b` nor below a field of `b`. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  collect(
    [...a.values()].map((left) => {
      const right = b.get(left.element.id);
      if (!right) return left;
      if (right.member) return undefined;
      return nodeOf(left.element, left.member, left.below && right.below ? recursiveDifference(left.below, right.below) : left.below);
    }),
  );

/** Fields with no field of the set below them. */
export const leaves = (set: FieldSet): FieldSet => collect([...set.values()].map(({ element, member, below }) => nodeOf(element, member && !below, below && leaves(below))));

/** The set with each schema-named field added that has fields below it; a map's own keys are not added. */
export const withNamedFields = (set: FieldSet, type: SmdType | undefined): FieldSet =>
  collect(
    [...set.values()].map(({ element, member, below }) => {
      const named = element.at === "field" && type?.map?.field(element.name) !== undefined;
      return nodeOf(element, member || (named && below !== undefined), below && withNamedFields(below, typeBelow(type, element)));
    }),
  );

/** The type one step further; undefined where the schema says nothing. */
export function typeBelow(type: SmdType | undefined, element: PathElement): SmdType | undefined {
  if (element.at === "field") return (type?.map?.field(element.name)?.type ?? type?.map?.element)?.();
  return element.at === "key" ? type?.list?.element() : undefined;
}

/** Whether the path is a member. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let level: FieldSet | undefined = set;
  for (let i = 0; i < path.length; i++) {
    const node: FieldSetNode | undefined = level?.get(path[i]!.id);
    if (!node) return false;
    if (i === path.length - 1) return node.member;
    level = node.below;
  }
  return false;
}

export const equalSets = (a: FieldSet, b: FieldSet): boolean =>
  a.size === b.size &&
  [...a].every(([id, left]) => {
    const right = b.get(id);
    return right !== undefined && left.member === right.member && (left.below && right.below ? equalSets(left.below, right.below) : left.below === right.below);
  });

/** Nodes of one level in path order. */
export const sortedNodes = (set: FieldSet): readonly FieldSetNode[] => [...set.values()].sort((a, b) => comparePathElements(a.element, b.element));

/** Every member: those of a level in order, then those below each. */
export function* pathsOf(set: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  const nodes = sortedNodes(set);
  for (const { element, member } of nodes) if (member) yield [...prefix, element];
  for (const { element, below } of nodes) if (below) yield* pathsOf(below, [...prefix, element]);
}
