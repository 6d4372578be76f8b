import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  countOfCommon,
  countOfIndexes,
  firstFreeIndexes,
  formatIndexes,
  hasIndex,
  joinIndexes,
  parseIndexes,
  toIndexSet,
} from "./index-set.ts";

test("is written as upstream writes it, and read back", () => {
  assert.equal(formatIndexes(toIndexSet([7, 0, 1, 3, 4, 5, 9, 10])), "0,1,3-5,7,9,10");
  assert.deepEqual(parseIndexes("0,1,3-5", 10), [
    { first: 0, last: 1 },
    { first: 3, last: 5 },
  ]);
  assert.equal(
    formatIndexes(parseIndexes("1,3-8,12", 6)),
    "1,3-5",
    "what is too large is left out",
  );
  assert.equal(formatIndexes(parseIndexes("1,x,3-y,5", 9)), "1,5", "and what cannot be read");
  assert.deepEqual([parseIndexes(undefined, 3), parseIndexes("", 3)], [[], []]);
});

test("means the same as a set of numbers", () => {
  const indexes = fc.uniqueArray(fc.nat(30), { maxLength: 20 });
  fc.assert(
    fc.property(indexes, indexes, fc.nat(12), (a, b, count) => {
      const [setA, setB] = [toIndexSet(a), toIndexSet(b)];
      const both = new Set([...a, ...b]);
      assert.deepEqual(joinIndexes(setA, setB), toIndexSet(both));
      assert.equal(countOfIndexes(setA), a.length);
      assert.equal(countOfCommon(setA, setB), a.filter((one) => b.includes(one)).length);
      assert.deepEqual(parseIndexes(formatIndexes(setA), 31), setA);
      for (let i = 0; i < 31; i++) assert.equal(hasIndex(setA, i), a.includes(i));
      assert.deepEqual(
        firstFreeIndexes(setA, count, 25),
        Array.from({ length: 25 }, (_, i) => i)
          .filter((one) => !a.includes(one))
          .slice(0, count),
      );
    }),
  );
});
