// Properties that typed values have, on one schema with every kind of field.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Json } from "homeostat/api";
import { compareTyped } from "./compare-typed.ts";
import { paths } from "../fieldpath/field-set.suite.ts";
import { toFieldSet } from "./to-field-set.ts";
import { mergeTyped } from "./merge-typed.ts";
import { removeItems } from "./remove-items.ts";
import { type } from "./typed-value.suite.ts";

const word = fc.constantFrom("a", "b", "c");
const words = fc.uniqueArray(word, { maxLength: 3 });
const value = fc.record(
  {
    n: fc.nat(2),
    set: words,
    list: words.chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc.record({ name: fc.constant(name), v: fc.nat(2) }, { requiredKeys: ["name"] }),
        ),
      ),
    ),
    map: fc.dictionary(word, word),
    atomic: fc.record({ x: fc.nat(2) }),
    struct: fc.record({ x: word, y: word }, { requiredKeys: [] }),
    free: fc.dictionary(word, fc.oneof(fc.nat(2), words, fc.dictionary(word, fc.nat(2)))),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Json>;

test("a comparison with itself is empty, and the way back swaps added and removed", () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      const same = compareTyped(type, a, a),
        there = compareTyped(type, a, b),
        back = compareTyped(type, b, a);
      assert.equal(same.added.size + same.modified.size + same.removed.size, 0);
      assert.deepEqual(paths(there.added), paths(back.removed));
      assert.deepEqual(paths(there.modified), paths(back.modified));
    }),
  );
});

test("a merge holds all that the intent names, and merging again changes nothing", () => {
  fc.assert(
    fc.property(value, value, (live, intent) => {
      const merged = mergeTyped(type, live, intent) ?? {};
      const { added, modified } = compareTyped(
        type,
        merged,
        mergeTyped(type, merged, intent) ?? {},
      );
      assert.equal(added.size + modified.size, 0);
      const claims = paths(toFieldSet(type, intent)),
        has = new Set(paths(toFieldSet(type, merged)));
      assert.deepEqual(
        claims.filter(
          (path) =>
            !has.has(path) && path !== ".map" && path !== ".struct" && !path.startsWith(".free"),
        ),
        [],
      );
    }),
  );
});

test("removing everything that a value names leaves no leaf", () => {
  fc.assert(
    fc.property(value, (a) => {
      const left = removeItems(type, a, toFieldSet(type, a));
      assert.ok(
        left === null || paths(toFieldSet(type, left)).every((path) => !/\.(n|atomic)$/.test(path)),
      );
    }),
  );
});
