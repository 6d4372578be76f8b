import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSwitches } from "./parse-switches.ts";

test("names are true or false, and of --runtime-config true when nothing is said", () => {
  assert.deepEqual(parseSwitches("--runtime-config", "a.io/v1=true, B=false,c,"), {
    "a.io/v1": true,
    B: false,
    c: true,
  });
});

test("anything else is refused", () => {
  for (const text of ["a=yes", "=true", "a=true=true", "a=true,b"])
    assert.throws(() => parseSwitches("--feature-gates", text), /--feature-gates: expected name=/);
});
