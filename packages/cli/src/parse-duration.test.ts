import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "./parse-duration.ts";

test("durations read as Go's", () => {
  const rows: readonly (readonly [string, number])[] = [
    ["0", 0],
    ["0s", 0],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1h0m0s", 3_600_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
  ];
  for (const [text, ms] of rows) assert.equal(parseDuration("--x", text), ms, text);
});

test("what is none is refused in the flag's name", () => {
  for (const text of ["", "5", "soon", "-5m", "5d", "1h 5m", "1.h"])
    assert.throws(
      () => parseDuration("--event-ttl", text),
      /--event-ttl: expected a duration such as 90s/,
      text,
    );
});
