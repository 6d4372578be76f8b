import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalQuantity } from "./quantity.ts";

const text = (input: string): string => {
  const result = canonicalQuantity(input);
  return "text" in result ? result.text : `error: ${result.error}`;
};

test("quantities take the largest suffix that loses nothing", () => {
  const canonical =
    "0=0 0.0=0 1000m=1 0.1=100m 1500m=1500m 1024Mi=1Gi 3Gi=3Gi 1025Mi=1025Mi 1000=1k 1e3=1e3 " +
    "12e6=12e6 0.5Gi=512Mi 1.5Gi=1536Mi 512=512 100Ki=100Ki -5=-5 1.5=1500m 2000Mi=2000Mi " +
    "0.0000000001=1n";
  for (const pair of canonical.split(" ")) {
    const [input = "", expected] = pair.split("=");
    assert.equal(text(input), expected, input);
  }
});

test("a unit without digits is zero, unless Go calculates with decimals", () => {
  for (const unit of ["Gi", "Ti", "+Mi", "m", "E", "e3", "-", "."])
    assert.equal(text(unit), "0", unit);
  for (const unit of ["Pi", "-Ei", ".Ei", "e-10"])
    assert.equal(text(unit), "error: unable to parse numeric part of quantity", unit);
});

test("invalid quantities are refused with upstream's message", () => {
  assert.match(text(""), /^error: quantities must match the regular expression/);
  assert.match(text("abc"), /^error: quantities must match/);
  assert.equal(text("1Kk"), "error: unable to parse quantity's suffix");
  assert.equal(text("1e"), "error: unable to parse quantity's suffix");
});
