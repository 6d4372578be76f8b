// Compares two values: which fields are added, modified and removed.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed/compare.go.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { type AtomKind, deduceAtom, settle } from "./atom.ts";
import { compareDeduced } from "./deduced.ts";
import {
  type FieldPath,
  fieldElement,
  formatPathElement,
  type PathElement,
} from "../fieldpath/field-path.ts";
import { type FieldSet, type FieldSetBuilder, insertPath } from "../fieldpath/field-set.ts";
import { forEachElement } from "./list-item.ts";
import {
  deducedType,
  type SmdList,
  type SmdMap,
  type SmdType,
} from "../../apimachinery/types/smd-type.ts";
import { below, throwTypedErrors, type TypedError } from "./typed-error.ts";
import { validateScalar } from "./validate-typed.ts";

/** No field is in more than one set; all are empty when the values are equal. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

type Side = Json | undefined;

/** The two values at one path; undefined where a side has none. */
interface Pair {
  readonly left: Side;
  readonly right: Side;
}

/** A value that was compared as a whole has no errors. */
type Outcome = "leaf" | readonly TypedError[];

/** Throws {@link MergeError} where neither side fits the type. */
export function compareTyped(type: SmdType, left: Json, right: Json): Comparison {
  const comparer = new Comparer();
  throwTypedErrors(comparer.compare([], type, { left, right }), "failed to compare objects: ");
  return comparer;
}

class Comparer implements Comparison {
  readonly added: FieldSetBuilder = new Map();
  readonly modified: FieldSetBuilder = new Map();
  readonly removed: FieldSetBuilder = new Map();

  compare(path: FieldPath, type: SmdType, pair: Pair): readonly TypedError[] {
    const { left, right } = pair;
    // Equal parts contribute nothing, whatever their type.
    if (left !== undefined && right !== undefined && equalJson(left, right)) return [];
    if (type === deducedType) {
      compareDeduced(this, path, left, right);
      return [];
    }
    const outcomes = kindsToCompare(type, pair).map((kind) =>
      this.#compareAs(kind, path, type, pair),
    );
    if (outcomes.at(-1) !== "leaf") this.#insertOneSided(path, pair);
    return outcomes.flatMap((outcome) => (outcome === "leaf" ? [] : outcome));
  }

  #insertOneSided(path: FieldPath, { left, right }: Pair): void {
    if (left === undefined) insertPath(this.added, path);
    else if (right === undefined) insertPath(this.removed, path);
  }

  #compareAs(kind: AtomKind, path: FieldPath, type: SmdType, pair: Pair): Outcome {
    switch (settle(type, kind)) {
      case "scalar": {
        const left = validateScalar(type.scalar!, pair.left, "lhs: ");
        const right = validateScalar(type.scalar!, pair.right, "rhs: ");
        return left.length && right.length ? [...left, ...right] : this.#compareLeaf(path, pair);
      }
      case "map":
        return this.#compareMaps(path, type.map!, pair);
      case "list":
        return this.#compareLists(path, type.list!, pair);
    }
  }

  #compareLeaf(path: FieldPath, pair: Pair): "leaf" {
    const { left, right } = pair;
    if (left === undefined || right === undefined) this.#insertOneSided(path, pair);
    else if (!equalJson(left, right)) insertPath(this.modified, path);
    return "leaf";
  }

  #compareMaps(path: FieldPath, type: SmdMap, pair: Pair): Outcome {
    const left = isObject(pair.left) ? pair.left : noMembers;
    const right = isObject(pair.right) ? pair.right : noMembers;
    const names = [
      ...Object.keys(left),
      ...Object.keys(right).filter((name) => !Object.hasOwn(left, name)),
    ];
    // Two empty sides are one leaf, so that empty and null differ.
    if (type.relation === "atomic" || !names.length) return this.#compareLeaf(path, pair);
    const errors: TypedError[] = [];
    for (const name of names) {
      const element = fieldElement(name);
      const fieldType = (type.field(name)?.type ?? type.element)?.();
      if (!fieldType) continue;
      const members = { left: own(left, name), right: own(right, name) };
      const found = this.compare([...path, element], fieldType, members);
      errors.push(...below(formatPathElement(element), found));
    }
    return errors;
  }

  #compareLists(path: FieldPath, type: SmdList, pair: Pair): Outcome {
    const left = Array.isArray(pair.left) ? pair.left : [];
    const right = Array.isArray(pair.right) ? pair.right : [];
    if (type.relation === "atomic" || (!left.length && !right.length))
      return this.#compareLeaf(path, pair);
    const { byElement, errors } = itemsByElement(type, left, right);
    for (const items of byElement.values())
      errors.push(...this.#compareItems([...path, items.element], type, items));
    return errors;
  }

  /** Compares the items of one element; duplicates on one side are tracked as a whole. */
  #compareItems(
    path: FieldPath,
    type: SmdList,
    { element, left, right }: Items,
  ): readonly TypedError[] {
    const one = (pair: Pair): readonly TypedError[] =>
      pair.left === undefined && pair.right === undefined
        ? []
        : below(formatPathElement(element), this.compare(path, type.element(), pair));
    if (left.length <= 1 && right.length <= 1) return one({ left: left[0], right: right[0] });
    if (left.length > 1 && right.length > 1) {
      if (!equalJson(left, right)) insertPath(this.modified, path);
      return [];
    }
    if (left.length > 1) {
      const errors = one({ left: undefined, right: right[0] });
      insertPath(this.removed, path);
      return errors;
    }
    const errors = one({ left: left[0], right: undefined });
    insertPath(this.added, path);
    return errors;
  }
}

/** Sides of different kinds are compared as both. */
function kindsToCompare(type: SmdType, { left, right }: Pair): readonly AtomKind[] {
  const leftKind = deduceAtom(type, left);
  const rightKind = deduceAtom(type, right);
  if (right === undefined) return [leftKind];
  return left === undefined || leftKind === rightKind ? [rightKind] : [leftKind, rightKind];
}

const noMembers: JsonObject = {};
const own = (object: JsonObject, name: string): Side =>
  Object.hasOwn(object, name) ? object[name] : undefined;

interface Items {
  readonly element: PathElement;
  readonly left: Json[];
  readonly right: Json[];
}

function itemsByElement(
  type: SmdList,
  left: readonly Json[],
  right: readonly Json[],
): { readonly byElement: ReadonlyMap<string, Items>; readonly errors: TypedError[] } {
  const byElement = new Map<string, Items>();
  const errors: TypedError[] = [];
  const add = (list: readonly Json[], side: "left" | "right"): void =>
    forEachElement(type, list, errors, (element, item) => {
      let items = byElement.get(element.id);
      if (!items) byElement.set(element.id, (items = { element, left: [], right: [] }));
      items[side].push(item);
    });
  add(left, "left");
  add(right, "right");
  return { byElement, errors };
}
