import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatGoDuration, parseGoDuration } from "./go-duration.ts";

test("durations read as Go writes them", () => {
  const cases: readonly (readonly [bigint, string])[] = [
    [0n, "0s"],
    [1n, "1ns"],
    [1_100n, "1.1µs"],
    [2_200_000n, "2.2ms"],
    [3_300_000_000n, "3.3s"],
    [245_000_000_000n, "4m5s"],
    [245_001_000_000n, "4m5.001s"],
    [18_367_001_000_000n, "5h6m7.001s"],
    [-90_000_000_000n, "-1m30s"],
    [3_600_000_000_000n, "1h0m0s"],
  ];
  for (const [nanos, text] of cases)
    assert.deepEqual([formatGoDuration(nanos), parseGoDuration(text)], [text, { nanos }]);
  assert.deepEqual(parseGoDuration("1.5h"), { nanos: 5_400_000_000_000n });
  assert.deepEqual(parseGoDuration("1h30m"), { nanos: 5_400_000_000_000n });
  assert.deepEqual(parseGoDuration("-10ms"), { nanos: -10_000_000n });
  assert.deepEqual(parseGoDuration("0"), { nanos: 0n });
});

test("other texts fail with Go's message", () => {
  const cases: Readonly<Record<string, string>> = {
    "": 'time: invalid duration ""',
    "-": 'time: invalid duration "-"',
    s: 'time: invalid duration "s"',
    ".s": 'time: invalid duration ".s"',
    "5": 'time: missing unit in duration "5"',
    "1h5": 'time: missing unit in duration "1h5"',
    "1x": 'time: unknown unit "x" in duration "1x"',
    "1h-2m": 'time: unknown unit "h-" in duration "1h-2m"',
    "1toString": 'time: unknown unit "toString" in duration "1toString"',
    "9223372036854775808ns": 'time: invalid duration "9223372036854775808ns"',
  };
  for (const [text, fault] of Object.entries(cases))
    assert.deepEqual(parseGoDuration(text), { fault });
});

test("formatting and parsing agree", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanos) =>
      assert.deepEqual(parseGoDuration(formatGoDuration(nanos)), { nanos }),
    ),
  );
});
