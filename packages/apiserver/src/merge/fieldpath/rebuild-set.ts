// Builds a set from another one, field by field, without recursion: sets are as deep as their
// objects, up to 10,000 levels.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go (which recurses; its stacks
// grow).
import type { PathElement } from "./field-path.ts";
import type { FieldSet, FieldSetNode } from "./field-set.ts";

/** Rebuilds the fields below one field as well, with `companion`. */
export interface Descent<Companion> {
  readonly member: boolean;
  readonly below: FieldSet;
  readonly companion: Companion;
}

/** How to rebuild; a companion (another set, a type) accompanies each level. */
export interface Rebuilding<Companion> {
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
export const nodeOf = (
  element: PathElement,
  member: boolean,
  below: FieldSet | undefined,
): FieldSetNode | undefined =>
  member || below?.size ? { element, member, below: below?.size ? below : undefined } : undefined;

/** Rebuilds `set`. Fields keep their order. */
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
