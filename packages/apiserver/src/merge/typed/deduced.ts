// Values without a schema: maps are separable, everything else is a leaf. Such values may be as
// deep as decoders accept (10,000 levels), too deep for recursion; so the functions on typed values
// delegate to these, which do not recurse. Results are those of the general functions for the
// deduced type.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/typed (compare.go, merge.go, remove.go,
// tofieldset.go; which recurse).
import { equalJson, isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { type FieldPath, fieldElement, type PathElement } from "../fieldpath/field-path.ts";
import {
  emptySet,
  type FieldSet,
  type FieldSetBuilder,
  insertPath,
} from "../fieldpath/field-set.ts";

type Side = Json | undefined;
const noMembers: JsonObject = {};
const membersOf = (side: Side): JsonObject => (isObject(side) ? side : noMembers);
const hasMembers = (map: JsonObject): boolean => Object.keys(map).length > 0;
const own = (side: JsonObject, name: string): Side =>
  Object.hasOwn(side, name) ? side[name] : undefined;
const namesOf = (left: JsonObject, right: JsonObject): readonly string[] => [
  ...Object.keys(left),
  ...Object.keys(right).filter((name) => !Object.hasOwn(left, name)),
];

/** A field during descent, which can be inserted into a set without a walk from the root. */
class Place {
  readonly #parent: Place | undefined;
  readonly #element: PathElement | undefined;
  #level: FieldSetBuilder | undefined;

  constructor(
    parent: Place | undefined,
    element: PathElement | undefined,
    level?: FieldSetBuilder,
  ) {
    this.#parent = parent;
    this.#element = element;
    this.#level = level;
  }

  /** The place of `path` in `set`. */
  static at(set: FieldSetBuilder, path: FieldPath): Place {
    let place = new Place(undefined, undefined, set);
    for (const element of path) place = new Place(place, element);
    return place;
  }

  step(element: PathElement): Place {
    return new Place(this, element);
  }

  insert(): void {
    if (!this.#parent) return;
    const missing: Place[] = [];
    let above: Place = this.#parent;
    for (; !above.#level; above = above.#parent!) missing.push(above);
    for (let place = missing.pop(); place; place = missing.pop())
      place.#level = place.#node().below ??= new Map();
    this.#node().member = true;
  }

  /** Requires all levels above to exist. */
  #node(): { member: boolean; below: FieldSetBuilder | undefined } {
    const level = this.#parent!.#level!,
      element = this.#element!;
    let node = level.get(element.id);
    if (!node) level.set(element.id, (node = { element, member: false, below: undefined }));
    return node;
  }
}

/** Inserts all fields of the value at `path`, and the value itself unless it is a map or null. */
export function insertFieldsOf(set: FieldSetBuilder, path: FieldPath, value: Json): void {
  if (value === null) return;
  if (!isObject(value)) return insertPath(set, path);
  const open: (readonly [Place, JsonObject])[] = [[Place.at(set, path), value]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [place, map] = next;
    for (const name of Object.keys(map)) {
      const inner = place.step(fieldElement(name));
      inner.insert();
      const member = map[name];
      if (isObject(member)) open.push([inner, member]);
    }
  }
}

interface Differences {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

type Places = Readonly<Record<keyof Differences, Place>>;

/** Inserts the fields that `right` adds, modifies and removes. */
export function compareDeduced(found: Differences, path: FieldPath, left: Side, right: Side): void {
  const at = (set: FieldSetBuilder): Place => Place.at(set, path);
  const open: (readonly [Places, Side, Side])[] = [
    [
      { added: at(found.added), modified: at(found.modified), removed: at(found.removed) },
      left,
      right,
    ],
  ];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [places, l, r] = pair;
    insertHere(places, l, r);
    const lefts = membersOf(l),
      rights = membersOf(r);
    for (const name of namesOf(lefts, rights)) {
      const [inLeft, inRight] = [own(lefts, name), own(rights, name)];
      if (inLeft === inRight) continue;
      const element = fieldElement(name);
      open.push([
        {
          added: places.added.step(element),
          modified: places.modified.step(element),
          removed: places.removed.step(element),
        },
        inLeft,
        inRight,
      ]);
    }
  }
}

/** Inserts the place itself: differences between maps are those of their members. */
function insertHere(places: Places, left: Side, right: Side): void {
  if (left === undefined) return places.added.insert();
  if (right === undefined) return places.removed.insert();
  const isEmpty = (side: Json): boolean => !hasMembers(membersOf(side));
  const isLeaf = (side: Json): boolean => side !== null && !isObject(side);
  const differ = isLeaf(left) || isLeaf(right) || (isEmpty(left) && isEmpty(right));
  if (differ && !equalJson(left, right)) places.modified.insert();
}

/** Merges `right` into `left`. The result shares parts with both. */
export function mergeDeduced(left: Side, right: Side): Side {
  const merged: { value?: Side } = {};
  const open: (readonly [Side, Side, (value: Json) => void])[] = [
    [left, right, (value) => void (merged.value = value)],
  ];
  for (let pair = open.pop(); pair; pair = open.pop()) {
    const [l, r, put] = pair;
    const [lefts, rights] = [membersOf(l), membersOf(r)];
    if (!hasMembers(lefts) || !hasMembers(rights)) {
      const whole = mergedWhole(l, r);
      if (whole !== undefined) put(whole);
      continue;
    }
    const out: JsonObject = {};
    for (const name of namesOf(lefts, rights)) {
      // Reserves the member's position; its value is known later.
      setOwn(out, name, null);
      open.push([own(lefts, name), own(rights, name), (value) => setOwn(out, name, value)]);
    }
    put(out);
  }
  return merged.value;
}

/** Merges sides that are not both non-empty maps: null and empty maps do not replace a map. */
function mergedWhole(left: Side, right: Side): Side {
  if (right === undefined) return left;
  return (right === null || isObject(right)) && isObject(left) && hasMembers(left) ? left : right;
}

interface Selection {
  readonly map: JsonObject;
  readonly fields: FieldSet;
  readonly names: Iterator<string>;
  readonly out: JsonObject;
  /** The name of `map` in its parent. */
  readonly name: string;
}

/** The value without the fields, or only the fields; a map that loses all members becomes null. */
export function selectDeduced(value: Json, fields: FieldSet, mode: "remove" | "extract"): Json {
  const whole = selectedWhole(value, mode);
  if (whole !== undefined) return whole;
  const open: Selection[] = [];
  const enter = (map: JsonObject, below: FieldSet, name: string): number =>
    open.push({ map, fields: below, names: Object.keys(map).values(), out: {}, name });
  enter(value as JsonObject, fields, "");
  for (;;) {
    const level = open.at(-1)!;
    const next = level.names.next();
    if (next.done) {
      open.pop();
      const result = hasMembers(level.out) ? level.out : null;
      if (!open.length) return result;
      setOwn(open.at(-1)!.out, level.name, result);
      continue;
    }
    const [name, member] = [next.value, level.map[next.value]!];
    const node = level.fields.get(`f:${name}`);
    if (mode === "remove" ? node?.member : !node) continue;
    const inner = node ? selectedWhole(member, mode) : member;
    if (inner === undefined) enter(member as JsonObject, node!.below ?? emptySet, name);
    else setOwn(level.out, name, inner);
  }
}

/** Undefined for a map with members, which needs descent. */
function selectedWhole(value: Json, mode: "remove" | "extract"): Side {
  if (isObject(value) && hasMembers(value)) return undefined;
  if (isObject(value)) return mode === "extract" ? value : null;
  return Array.isArray(value) && mode === "remove" ? null : value;
}
