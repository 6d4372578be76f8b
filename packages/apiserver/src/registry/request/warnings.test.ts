import assert from "node:assert/strict";
import { test } from "node:test";
import { Warnings } from "./warnings.ts";

const headers = (...texts: readonly string[]): readonly string[] => {
  const warnings = new Warnings();
  for (const text of texts) warnings.add(text);
  return warnings.headers();
};

test("each text once, quoted, without control characters", () => {
  assert.deepEqual(headers('say "a\\b"', 'say "a\\b"', "", "line\none"), ['299 - "say \\"a\\\\b\\""', '299 - "lineone"']);
});

test("when all are too long together, each is cut", () => {
  const long = "x".repeat(3000);
  assert.equal(headers(long)[0]!.length, 3000 + 8);
  assert.deepEqual(
    headers(long, "y".repeat(3000)).map((header) => header.length),
    [256 + 8, 256 + 8],
  );
});
