import assert from "node:assert/strict";
import { test } from "node:test";
import { Warnings } from "./warnings.ts";

const headers = (...texts: readonly string[]): readonly string[] => {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers();
};
const lengths = (...texts: readonly string[]): readonly number[] =>
  headers(...texts).map((header) => [...header].length - '299 - ""'.length);
const numbered = (count: number, length: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `${i} `.padEnd(length, "x"));

test("each text once and quoted", () => {
  assert.deepEqual(headers('say "a\\b"', 'say "a\\b"', ""), ['299 - "say \\"a\\\\b\\""']);
});

test("a text with control characters is not sent, and takes no room", () => {
  assert.deepEqual(headers("line\none", `long\u0085${"x".repeat(5000)}`, "next"), ['299 - "next"']);
});

test("what fits together is sent whole", () => {
  assert.deepEqual(lengths("x".repeat(4096)), [4096]);
  assert.deepEqual(lengths(...numbered(4, 1024)), [1024, 1024, 1024, 1024]);
});

test("when all are too long together, each is cut", () => {
  assert.deepEqual(lengths("x".repeat(4097)), [256]);
  assert.deepEqual(
    lengths("short", "x".repeat(3000), "y".repeat(3000), "z".repeat(3000)),
    [5, 256, 256, 256],
  );
});

test("cut ones are sent until the room is full", () => {
  assert.deepEqual(lengths(...numbered(5, 1024), ...numbered(100, 1025)), Array(16).fill(256));
  assert.equal(
    lengths(...numbered(10_000, 30)).length,
    Math.floor(4096 / 30) + 1,
    "the one that was too much is replayed with the others, and the last",
  );
});

test("many short ones that were whole are all replayed, though nothing more is taken", () => {
  assert.deepEqual(lengths(...numbered(4096 / 16, 16), "y".repeat(300), "z"), [
    ...Array(256).fill(16),
    256,
  ]);
});

test("lengths are of characters, which are never split", () => {
  assert.deepEqual(lengths("🦊".repeat(4096)), [4096]);
  const [cut] = headers(`a${"🦊".repeat(4096)}`);
  assert.equal(cut, `299 - "a${"🦊".repeat(255)}"`);
});
