// A set made out of another, field by field, without recursion: a set may be as deep as the object
// that it speaks of, which is up to 10,000 levels.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go (which recurses; its stacks
// grow).
import type { PathElement } from "./field-path.ts";
import type { FieldSet, FieldSetNode } from "./field-set.ts";

/**
 * What becomes of one field: what lies below it is asked for too, in the company of `companion`.
 */
export interface Descent<Companion> {
  readonly member: boolean;
  readonly below: FieldSet;
  readonly companion: Companion;
}

/** What is there at each level besides the set: another set, a type. */
export interface Rebuilding<Companion> {
  /** The field as it is to be, undefined without it, or a descent. */
  readonly decide: (
    node: FieldSetNode,
    companion: Companion,
  ) => FieldSetNode | Descent<Companion> | undefined;
  /** What a finished level gets besides. */
  readonly finish?: (level: Map<string, FieldSetNode>, companion: Companion) => void;
}

interface Level<Companion> {
  readonly companion: Companion;
  readonly nodes: Iterator<FieldSetNode>;
  readonly out: Map<string, FieldSetNode>;
  /** The field that this level lies below. */
  readonly element: PathElement | undefined;
  readonly member: boolean;
}

/** A field with nothing below it and no member itself is left out. */
export const nodeOf = (
  element: PathElement,
  member: boolean,
  below: FieldSet | undefined,
): FieldSetNode | undefined =>
  member || below?.size ? { element, member, below: below?.size ? below : undefined } : undefined;

/** The set that `decide` makes of `set`. Fields keep their order. */
export function rebuild<Companion>(
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
