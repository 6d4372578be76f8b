import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeJson } from "./decode-json.ts";

for (const [text, value] of [
  ["9007199254740991", 9007199254740991],
  ["-9007199254740991", -9007199254740991],
  ["9007199254740992", 9007199254740992n],
  ["90071992547409911", 90071992547409911n],
  ["19007199254740991", 19007199254740991n],
  ["9223372036854775807", 9223372036854775807n],
  ["1e3", 1000],
] as const)
  test(`${text} is read exactly`, () =>
    assert.deepEqual(decodeJson(new TextEncoder().encode(`{"a": ${text},"b":[${text}]}`)), {
      a: value,
      b: [value],
    }));
