import assert from "node:assert/strict";
import { test } from "node:test";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { parseDuration } from "./duration.ts";

test("durations are read as Go writes them", () => {
  const rows: readonly (readonly [string | number, number])[] = [
    ["0", 0],
    ["0s", 0],
    ["90s", 90_000],
    ["1h30m", 5_400_000],
    ["1h0m0s", 3_600_000],
    ["1.5h", 5_400_000],
    ["250ms", 250],
    [250, 250],
  ];
  for (const [text, ms] of rows) assert.equal(parseDuration(text), ms, String(text));
});

test("invalid durations are refused with ERR_DURATION", () => {
  const bad = ["", "5", "30", "soon", "5 minutes", "-5m", "5d", "1h 5m", "1.h"];
  for (const value of [...bad, -5, Number.NaN, Infinity])
    assert.throws(
      () => parseDuration(value),
      (error) => isHomeostatError(error, "ERR_DURATION"),
      String(value),
    );
});
