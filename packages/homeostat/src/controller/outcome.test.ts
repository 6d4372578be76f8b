import assert from "node:assert/strict";
import { test } from "node:test";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { isTerminal, parseDuration, retry, terminal } from "./outcome.ts";

test("durations are read as Go writes them", () => {
  assert.deepEqual(
    ["30s", "1h30m", "500ms", "1.5s", 250].map(parseDuration),
    [30_000, 5_400_000, 500, 1500, 250],
  );
});

test("what is not a duration is refused by name", () => {
  for (const bad of ["", "30", "5 minutes", "-1s", -5, Number.NaN, Infinity])
    assert.throws(
      () => parseDuration(bad),
      (error) => isHomeostatError(error, "ERR_DURATION"),
      String(bad),
    );
});

test("outcomes carry their reason, terminal errors are known across copies", () => {
  assert.deepEqual(retry.in("2s", { because: "the oven is hot" })["~outcome"], {
    at: "retrying",
    afterMs: 2000,
    because: "the oven is hot",
  });
  assert.equal(isTerminal(terminal("no")), true);
  assert.equal(isTerminal(new Error("no")), false);
});
