import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBadValue, formatGoFloat } from "./field-error.ts";

test("floats read as under Go's %v, integers as the int64 that they are", () => {
  // Printed by Go's fmt.Sprintf("%v", f).
  const printed: readonly (readonly [number, string])[] = [
    [1_000_000, "1e+06"],
    [1_234_567.5, "1.2345675e+06"],
    [1e20, "1e+20"],
    [123_456, "123456"],
    [0.00001, "1e-05"],
    [0.0001, "0.0001"],
    [-1_234_567.5, "-1.2345675e+06"],
    [2_147_483_648, "2.147483648e+09"],
  ];
  for (const [value, text] of printed) assert.equal(formatGoFloat(value), text);
  assert.deepEqual(
    [1_000_000, 1_234_567.5, 9_007_199_254_740_993n, 1e20, true].map(formatBadValue),
    ["1000000", "1.2345675e+06", "9007199254740993", "1e+20", "true"],
  );
});
