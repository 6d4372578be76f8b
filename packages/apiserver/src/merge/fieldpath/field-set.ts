// Sets of fields, and their algebra. A field may be a member, have members below it, or both;
// members below a field do not make the field a member.
// Sets are immutable, and results share parts with their operands. Only `insertPath` mutates a set,
// before its creator shares it.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go.
import { comparePathElements, type FieldPath, type PathElement } from "./field-path.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/** One field of a set: a member, or with members below it, or both. */
export interface FieldSetNode {
  readonly element: PathElement;
  readonly member: boolean;
  readonly below: FieldSet | undefined;
}

/** Fields by the `id` of their last step. */
export type FieldSet = ReadonlyMap<string, FieldSetNode>;

/** A set under construction. */
export type FieldSetBuilder = Map<
  string,
  { readonly element: PathElement; member: boolean; below: FieldSetBuilder | undefined }
>;

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

/** The set of these paths. */
export function fieldSetOf(paths: Iterable<FieldPath>): FieldSet {
  const set: FieldSetBuilder = new Map();
  for (const path of paths) insertPath(set, path);
  return set;
}

export const emptySet: FieldSet = fieldSetOf([]);

/** Fields in either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (!a.size) return b;
  if (!b.size) return a;
  return rebuild(a, b, unionOf);
}

const unionOf: Rebuilding<FieldSet> = {
  decide(left, b) {
    const right = b.get(left.element.id);
    if (!right) return left;
    const member = left.member || right.member;
    return left.below && right.below
      ? { member, below: left.below, companion: right.below }
      : nodeOf(left.element, member, left.below ?? right.below);
  },
  finish(level, b) {
    for (const [id, right] of b) if (!level.has(id)) level.set(id, right);
  },
};

/** Fields in both. */
export const intersection = (a: FieldSet, b: FieldSet): FieldSet =>
  a.size && b.size ? rebuild(a, b, intersectionOf) : emptySet;

const intersectionOf: Rebuilding<FieldSet> = {
  decide(left, b) {
    const right = b.get(left.element.id);
    return right && inBoth(left, left.member && right.member, right, undefined);
  },
};

/** Fields in `a` that are not in `b`; fields below those of `b` stay. */
export const difference = (a: FieldSet, b: FieldSet): FieldSet =>
  a.size && b.size ? rebuild(a, b, differenceOf) : a;

const differenceOf: Rebuilding<FieldSet> = {
  decide(left, b) {
    const right = b.get(left.element.id);
    return right ? inBoth(left, left.member && !right.member, right, left.below) : left;
  },
};

/** Fields in `a` that are neither in `b` nor below a field of `b`. */
export const recursiveDifference = (a: FieldSet, b: FieldSet): FieldSet =>
  a.size && b.size ? rebuild(a, b, recursiveDifferenceOf) : a;

const recursiveDifferenceOf: Rebuilding<FieldSet> = {
  decide(left, b) {
    const right = b.get(left.element.id);
    if (!right) return left;
    return right.member ? undefined : inBoth(left, left.member, right, left.below);
  },
};

/** For a field in both sets: descends if both have fields below it; otherwise `below` stays. */
const inBoth = (
  left: FieldSetNode,
  member: boolean,
  right: FieldSetNode,
  below: FieldSet | undefined,
): FieldSetNode | Descent<FieldSet> | undefined =>
  left.below && right.below
    ? { member, below: left.below, companion: right.below }
    : nodeOf(left.element, member, below);

/** Fields with no field of the set below them. */
export const leaves = (set: FieldSet): FieldSet =>
  rebuild(set, undefined, {
    decide: (node) =>
      node.below ? { member: false, below: node.below, companion: undefined } : node,
  });

/**
 * The set, plus each field with fields below it that the schema names; map keys are not added.
 */
export const withNamedFields = (set: FieldSet, type: SmdType | undefined): FieldSet =>
  rebuild(set, type, namedFieldsOf);

const namedFieldsOf: Rebuilding<SmdType | undefined> = {
  decide(node, type) {
    const { element, member, below } = node;
    if (!below) return node;
    const named = element.at === "field" && type?.map?.field(element.name) !== undefined;
    return { member: member || named, below, companion: typeBelow(type, element) };
  },
};

/** The type of a child; undefined when the schema does not specify it. */
export function typeBelow(type: SmdType | undefined, element: PathElement): SmdType | undefined {
  if (element.at === "field")
    return (type?.map?.field(element.name)?.type ?? type?.map?.element)?.();
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

/** Whether all members of `a` are members of `b`. */
export function isSubset(a: FieldSet, b: FieldSet): boolean {
  const open: (readonly [FieldSet, FieldSet | undefined])[] = [[a, b]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [lefts, rights] = pair;
    for (const [id, { member, below }] of lefts) {
      const right = rights?.get(id);
      if (!right || (member && !right.member)) return false;
      if (below) open.push([below, right.below]);
    }
  }
  return true;
}

/** Whether both have the same members. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  const open: (readonly [FieldSet, FieldSet])[] = [[a, b]];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [lefts, rights] = pair;
    if (lefts.size !== rights.size) return false;
    for (const [id, left] of lefts) {
      const right = rights.get(id);
      if (!right || left.member !== right.member || !left.below !== !right.below) return false;
      if (left.below) open.push([left.below, right.below!]);
    }
  }
  return true;
}

/** Nodes of one level in path order. */
export const sortedNodes = (set: FieldSet): readonly FieldSetNode[] =>
  [...set.values()].sort((a, b) => comparePathElements(a.element, b.element));

/** All members: those of a level in order, then those below each. */
export function* pathsOf(set: FieldSet): Generator<FieldPath> {
  const open: (readonly [FieldSet, FieldPath])[] = [[set, []]];
  for (let level = open.pop(); level; level = open.pop()) {
    const [below, prefix] = level;
    const nodes = sortedNodes(below);
    for (const { element, member } of nodes) if (member) yield [...prefix, element];
    for (const { element, below: inner } of nodes.toReversed())
      if (inner) open.push([inner, [...prefix, element]]);
  }
}

/** Rebuilds the fields below one field as well, with `companion`. */
interface Descent<Companion> {
  readonly member: boolean;
  readonly below: FieldSet;
  readonly companion: Companion;
}

/** How to rebuild; a companion (another set, a type) accompanies each level. */
interface Rebuilding<Companion> {
  /** The new field, undefined to drop it, or a descent. */
  readonly decide: (
    node: FieldSetNode,
    companion: Companion,
  ) => FieldSetNode | Descent<Companion> | undefined;
  /** Adds fields to a finished level. */
  readonly finish?: (level: Map<string, FieldSetNode>, companion: Companion) => void;
}

interface Level<Companion> {
  readonly companion: Companion;
  readonly nodes: Iterator<FieldSetNode>;
  readonly out: Map<string, FieldSetNode>;
  /** The parent of this level. */
  readonly element: PathElement | undefined;
  readonly member: boolean;
}

/** A field; undefined when it is no member and has none below it. */
const nodeOf = (
  element: PathElement,
  member: boolean,
  below: FieldSet | undefined,
): FieldSetNode | undefined =>
  member || below?.size ? { element, member, below: below?.size ? below : undefined } : undefined;

/**
 * Rebuilds `set` without recursion, which upstream uses: sets are as deep as their objects, up to
 * 10,000 levels. Fields keep their order.
 */
function rebuild<Companion>(
  set: FieldSet,
  companion: Companion,
  { decide, finish }: Rebuilding<Companion>,
): FieldSet {
  const open: Level<Companion>[] = [];
  const enter = (
    below: FieldSet,
    beside: Companion,
    element?: PathElement,
    member = false,
  ): number =>
    open.push({ companion: beside, nodes: below.values(), out: new Map(), element, member });
  enter(set, companion);
  for (;;) {
    const level = open.at(-1)!;
    const next = level.nodes.next();
    if (!next.done) {
      const outcome = decide(next.value, level.companion);
      if (outcome && "companion" in outcome)
        enter(outcome.below, outcome.companion, next.value.element, outcome.member);
      else if (outcome) level.out.set(outcome.element.id, outcome);
      continue;
    }
    finish?.(level.out, level.companion);
    open.pop();
    if (!level.element) return level.out;
    const node = nodeOf(level.element, level.member, level.out);
    if (node) open.at(-1)!.out.set(node.element.id, node);
  }
}
