import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseExact } from "./parse-exact.ts";

test("integers beyond 2^53 keep every digit, others are numbers", () => {
  assert.deepEqual(
    parseExact(
      '{"a":9223372036854775807,"b":[-1234567890123456789],"c":9007199254740991,"d":"12345678901234567890"}',
    ),
    {
      a: 9223372036854775807n,
      b: [-1234567890123456789n],
      c: 9007199254740991,
      d: "12345678901234567890",
    },
  );
});

test("keys round-trip, including keys with an escape", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", '\\"', "}", "\n", "\u0001", "/"),
  );
  fc.assert(
    fc.property(fc.dictionary(text, text), (object) => {
      assert.deepEqual(
        Object.entries(parseExact(JSON.stringify(object)) as object).sort(),
        Object.entries(object).sort(),
      );
    }),
    { numRuns: 2000 },
  );
});
