import assert from "node:assert/strict";
import { test } from "node:test";
import { isPrintable } from "./is-printable.ts";

test("every character is printable that Unicode's categories say is", () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    const c = String.fromCodePoint(code);
    const expected = c === " " || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(c);
    assert.equal(isPrintable(c), expected, `U+${code.toString(16)}`);
  }
});
