// The walks without recursion give what the general ones give for a type that says the same, and
// reach any depth.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "homeostat/api";
import { compareTyped } from "./compare-typed.ts";
import { paths } from "../fieldpath/field-set.suite.ts";
import {
  difference,
  equalSets,
  type FieldSet,
  intersection,
  leaves,
  recursiveDifference,
  union,
  withNamedFields,
} from "../fieldpath/field-set.ts";
import { toFieldSet } from "./to-field-set.ts";
import { formatFieldsV1, parseFieldsV1 } from "../fieldpath/fields-v1.ts";
import { mergeTyped } from "./merge-typed.ts";
import { extractItems, removeItems } from "./remove-items.ts";
import { deducedType, type SmdType } from "../../apimachinery/types/smd-type.ts";

/** Says what the deduced type says, and is walked by recursion, because it is another. */
const general: SmdType = { ...deducedType, map: { ...deducedType.map!, element: () => general } };

const json = fc.letrec<{ value: Json; map: { [name: string]: Json } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "json" },
    fc.constantFrom<Json>(null, 1, 2, "a", "both", true, 0n, []),
    fc.constantFrom<Json>([1], [{ a: 1 }]),
    tie("map"),
    tie("map"),
  ),
  map: fc.dictionary(fc.constantFrom("a", "b", "c", "__proto__"), tie("value"), {
    maxKeys: 3,
    depthIdentifier: "json",
  }),
}));
// as parsed JSON: with the ordinary prototype
const both = fc.tuple(json.map, json.map).map((pair) => structuredClone(pair));

test("fields, differences, merges and selections are those of the general form", () => {
  fc.assert(
    fc.property(both, ([left, right]) => {
      assert.deepEqual(paths(toFieldSet(deducedType, left)), paths(toFieldSet(general, left)));
      const [one, other] = [
        compareTyped(deducedType, left, right),
        compareTyped(general, left, right),
      ];
      for (const which of ["added", "modified", "removed"] as const)
        assert.deepEqual(paths(one[which]), paths(other[which]), which);
      assert.deepEqual(mergeTyped(deducedType, left, right), mergeTyped(general, left, right));
      assert.deepEqual(
        Object.keys(mergeTyped(deducedType, left, right) ?? {}),
        Object.keys(mergeTyped(general, left, right) ?? {}),
      );
      for (const fields of [
        toFieldSet(general, right),
        leaves(toFieldSet(general, right)),
        other.removed,
      ]) {
        assert.deepEqual(
          removeItems(deducedType, left, fields),
          removeItems(general, left, fields),
        );
        assert.deepEqual(
          extractItems(deducedType, left, fields),
          extractItems(general, left, fields),
        );
      }
    }),
    { numRuns: 500 },
  );
});

test("as many levels as a decoder takes are no more than many", () => {
  const depth = 9_990;
  const nested = (leaf: Json): Json => {
    let value = leaf;
    for (let i = 0; i < depth; i++) value = { a: value };
    return value;
  };
  const [one, two] = [nested(1), nested(2)];
  const all = toFieldSet(deducedType, one);
  const { modified, removed } = compareTyped(deducedType, one, two);
  assert.deepEqual(paths(modified), [".a".repeat(depth)]);
  assert.equal(removed.size, 0);
  const text = encodeDeep(all);
  assert.ok(equalSets(parseFieldsV1(formatFieldsV1(all)), all));
  assert.equal(text, depth);
  assert.ok(equalSets(union(difference(all, modified), modified), all));
  assert.ok(equalSets(intersection(all, leaves(all)), modified));
  assert.equal(recursiveDifference(all, modified).size, 1);
  assert.ok(equalSets(withNamedFields(all, deducedType), all));
  assert.equal(depthOf(mergeTyped(deducedType, one, nested({ b: 1 }))), depth + 1);
  assert.equal(
    depthOf(removeItems(deducedType, nested({ b: 1, c: 1 }), toFieldSet(deducedType, { a: null }))),
    0,
  );
  assert.equal(depthOf(extractItems(deducedType, one, all)), depth);
});

function depthOf(value: Json): number {
  let depth = 0;
  for (
    let inner: unknown = value;
    typeof inner === "object" && inner !== null;
    inner = Object.values(inner)[0]
  )
    depth++;
  return depth;
}

/** Levels of the set as it stands on the wire. */
function encodeDeep(set: FieldSet): number {
  let levels = 0;
  for (
    let level: Json | undefined = formatFieldsV1(set);
    level !== undefined && (level as object);
    level = (level as Record<string, Json>)["f:a"]
  )
    levels++;
  return levels - 1;
}
