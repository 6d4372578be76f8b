import assert from "node:assert/strict";
import { test } from "node:test";
import { isTerminal, retry, terminal } from "./outcome.ts";

test("outcomes carry their reason, and terminal errors are recognized across copies", () => {
  assert.deepEqual(retry.in("2s", { because: "the oven is hot" })["~outcome"], {
    at: "retrying",
    afterMs: 2000,
    because: "the oven is hot",
  });
  assert.equal(isTerminal(terminal("no")), true);
  assert.equal(isTerminal(new Error("no")), false);
});
