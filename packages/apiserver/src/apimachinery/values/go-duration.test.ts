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
    assert.deepEqual([formatGoDuration(nanos), parseGoDuration(text)], [text, nanos]);
  assert.equal(parseGoDuration("1.5h"), 5_400_000_000_000n);
  assert.equal(parseGoDuration("1h30m"), 5_400_000_000_000n);
  assert.equal(parseGoDuration("-10ms"), -10_000_000n);
  assert.equal(parseGoDuration("0"), 0n);
  for (const wrong of ["", "1", "5", "s", "h", "1x", "1h-2m"])
    assert.equal(parseGoDuration(wrong), undefined);
});

test("formatting and parsing agree", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (nanos) =>
      assert.equal(parseGoDuration(formatGoDuration(nanos)), nanos),
    ),
  );
});
