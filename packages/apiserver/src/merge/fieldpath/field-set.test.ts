import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  fieldElement,
  type FieldPath,
  formatFieldPath,
  indexElement,
  keyElement,
  valueElement,
} from "./field-path.ts";
import {
  difference,
  emptySet,
  equalSets,
  type FieldSet,
  fieldSetOf,
  hasPath,
  intersection,
  isSubset,
  leaves,
  pathsOf,
  recursiveDifference,
  union,
  withNamedFields,
} from "./field-set.ts";
import { formatPaths, paths } from "./field-set.suite.ts";
import { smdFromJsonSchema } from "../typed/smd-from-json-schema.ts";
import { deducedType } from "../../apimachinery/types/smd-type.ts";

const element = fc.oneof(
  fc.constantFrom("a", "b", "c").map(fieldElement),
  fc.constantFrom(80, 443).map((port) =>
    keyElement([
      { name: "port", value: port },
      { name: "protocol", value: "TCP" },
    ]),
  ),
  fc.constantFrom("x", 1).map(valueElement),
  fc.constantFrom(0, 1).map(indexElement),
);
const path = fc.array(element, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 12 }).map(fieldSetOf);
const of = (...names: string[]): FieldSet =>
  fieldSetOf(names.map((name) => name.split(".").map(fieldElement)));

test("a field is no member of a set that has only fields below it", () => {
  assert.equal(isSubset(of("a"), of("a.b")), false);
  assert.equal(isSubset(of("a.b"), of("a")), false);
  assert.equal(isSubset(of("a.b"), of("a", "a.b")), true);
});

test("union, intersection and difference are those of the sets of paths", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const left = new Set(paths(a)),
        right = new Set(paths(b));
      assert.deepEqual(paths(union(a, b)), [...left.union(right)].sort());
      assert.deepEqual(paths(intersection(a, b)), [...left.intersection(right)].sort());
      assert.deepEqual(paths(difference(a, b)), [...left.difference(right)].sort());
      assert.equal(isSubset(a, b), left.isSubsetOf(right));
      assert.ok(isSubset(intersection(a, b), a) && isSubset(a, union(b, a)));
    }),
  );
});

test("the algebra has its laws", () => {
  fc.assert(
    fc.property(set, set, set, (a, b, c) => {
      assert.ok(equalSets(union(a, b), union(b, a)));
      assert.ok(equalSets(intersection(a, b), intersection(b, a)));
      assert.ok(equalSets(union(a, union(b, c)), union(union(a, b), c)));
      assert.ok(equalSets(union(difference(a, b), intersection(a, b)), a));
      assert.ok(
        equalSets(intersection(a, union(b, c)), union(intersection(a, b), intersection(a, c))),
      );
      assert.ok(equalSets(difference(a, a), emptySet));
      assert.ok(equalSets(union(a, emptySet), a));
    }),
  );
});

test("a recursive difference leaves nothing at or below a field of the other set", () => {
  fc.assert(
    fc.property(set, set, (a, b) => {
      const isBelow = (inner: FieldPath): boolean =>
        inner.some((_, i) => hasPath(b, inner.slice(0, i + 1)));
      assert.deepEqual(
        paths(recursiveDifference(a, b)),
        [...pathsOf(a)]
          .filter((inner) => !isBelow(inner))
          .map(formatFieldPath)
          .sort(),
      );
    }),
  );
});

test("leaves have no member below them", () => {
  fc.assert(
    fc.property(set, (a) => {
      const all = paths(a);
      assert.deepEqual(
        paths(leaves(a)),
        all.filter(
          (name) =>
            !all.some(
              (other) =>
                other !== name && other.startsWith(name) && /^[.[]/.test(other.slice(name.length)),
            ),
        ),
      );
    }),
  );
});

test("a difference with a parent keeps its children, a recursive one does not", () => {
  assert.deepEqual(paths(difference(of("a", "a.b", "c"), of("a"))), [".a.b", ".c"]);
  assert.deepEqual(paths(recursiveDifference(of("a", "a.b", "c"), of("a"))), [".c"]);
});

test("fields come before keys, values and positions, and numbers go by size", () => {
  const port = (value: number): FieldPath => [keyElement([{ name: "port", value }])];
  const mixed = fieldSetOf([
    [indexElement(0)],
    [valueElement("z")],
    port(443),
    port(80),
    [fieldElement("z")],
    [valueElement(10)],
    [valueElement(9)],
  ]);
  assert.deepEqual(formatPaths(mixed), [
    ".z",
    "[port=80]",
    "[port=443]",
    "[=9]",
    "[=10]",
    '[="z"]',
    "[0]",
  ]);
});

test("members of a level come before what lies below them", () => {
  assert.deepEqual(formatPaths(of("a.b", "a", "c")), [".a", ".c", ".a.b"]);
});

test("named fields with fields below them are added, keys of a map are not", () => {
  const type = smdFromJsonSchema(
    {
      properties: {
        spec: {
          type: "object",
          properties: {
            map: {
              type: "object",
              additionalProperties: { type: "object", properties: { x: { type: "string" } } },
            },
          },
        },
      },
    },
    { objectMeta: deducedType },
  );
  assert.deepEqual(paths(withNamedFields(of("spec.map.k.x"), type)), [
    ".spec",
    ".spec.map",
    ".spec.map.k.x",
  ]);
});
