import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStored } from "./stored-json.ts";

for (const [text, value] of [
  ["9007199254740991", 9007199254740991],
  ["-9007199254740991", -9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["90071992547409911", 90071992547409911n],
] as const)
  test(`${text} is read exactly`, () =>
    assert.deepEqual(parseStored(new TextEncoder().encode(`{"a":${text}}`)), { a: value }));
