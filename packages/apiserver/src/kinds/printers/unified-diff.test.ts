import assert from "node:assert/strict";
import { test } from "node:test";
import { indentJson } from "./indent-json.ts";
import { matchingBlocks, visitLimit } from "./matching-blocks.ts";
import { diffPrinted } from "./unified-diff.ts";

const numbers = (length: number, changed: Readonly<Record<number, number>> = {}): string =>
  JSON.stringify(Array.from({ length }, (_, i) => changed[i] ?? i));

test("values are laid out as MarshalIndent does, texts untouched", () => {
  assert.equal(
    indentJson('{"a":{},"b":[],"c":[1,{"d":"x\\",{[: \\u003c"}]}'),
    '{\n "a": {},\n "b": [],\n "c": [\n  1,\n  {\n   "d": "x\\",{[: \\u003c"\n  }\n ]\n}',
  );
});

test("equal values have no difference", () => {
  assert.equal(diffPrinted(numbers(3), numbers(3)), "");
});

test("a change has three lines around it", () => {
  assert.equal(
    diffPrinted(numbers(12), numbers(12, { 5: 50 })),
    "@@ -4,7 +4,7 @@\n  2,\n  3,\n  4,\n- 5,\n+ 50,\n  6,\n  7,\n  8,\n",
  );
});

test("changes near each other share a hunk, others do not", () => {
  const hunks = (second: number): number =>
    diffPrinted(numbers(40), numbers(40, { 10: 100, [second]: 200 })).match(/^@@/gm)!.length;
  assert.equal(hunks(17), 1);
  assert.equal(hunks(18), 2);
});

test("the longest stretch counts, not the most lines", () => {
  assert.deepEqual(matchingBlocks(["a", "b"], ["a", "c", "a", "b"]), [
    { a: 0, b: 2, size: 2 },
    { a: 2, b: 4, size: 0 },
  ]);
});

test("in long texts frequent lines start no stretch", () => {
  const b = Array.from({ length: 200 }, (_, i) => (i % 2 ? "same" : `line ${i}`));
  assert.deepEqual(matchingBlocks(["same"], b), [{ a: 1, b: 200, size: 0 }]);
});

test("a diff of two large texts is bounded", () => {
  const lines = (changed: boolean): string[] =>
    Array.from({ length: 60_000 }, (_, i) => (changed && i % 2 ? `new ${i}` : `line ${i}`));
  const blocks = matchingBlocks(lines(false), lines(true));
  assert.deepEqual(blocks.at(-1), { a: 60_000, b: 60_000, size: 0 });
  assert.ok(blocks.every(({ a, b }) => a === b));
  // Each found block costs at most one pass over its range.
  assert.ok(blocks.length < visitLimit / 1000, String(blocks.length));
});
