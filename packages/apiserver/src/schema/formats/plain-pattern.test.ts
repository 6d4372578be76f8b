import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import fc from "fast-check";
import { isPlainPattern } from "./plain-pattern.ts";

const { RE2JS } = createRequire(import.meta.url)("re2js") as typeof import("re2js");

for (const pattern of [
  "",
  "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
  "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
  "^(?:0|[1-9]\\d*)(\\.\\d+){1,3}$",
  "^a|b|(c)$",
  "[^/]+/[a-z-]*",
])
  test(`plain: ${pattern}`, () => assert.equal(isPlainPattern(pattern), true));

for (const pattern of [
  "(",
  "a)",
  "[z-a]",
  "[]",
  "[a",
  "a**",
  "*a",
  "a{2,1}",
  "a{1001}",
  "(a{500}){3}",
  "(?i)a",
  "(?=a)",
  "\\1",
  "a*?",
  "[[:alpha:]]",
  "é",
  "\\p{L}",
  "[a-c-e]",
])
  test(`not plain: ${pattern}`, () => assert.equal(isPlainPattern(pattern), false));

test("plain patterns compile", () => {
  const pieces =
    String.raw`a b-c 0 ^ $ | ( ) (?: * + ? {2} {1,3} {,2} {3,} {30,40} [ ] [^ ` +
    String.raw`a-z A-z z-a - \ \d \. \- _ . [a-z] [^-a] [0-9-] [\d-]`;
  const piece = fc.constantFrom(...pieces.split(" "));
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
      (pattern) => {
        fc.pre(isPlainPattern(pattern));
        RE2JS.compile(pattern);
      },
    ),
    { numRuns: 5000, maxSkipsPerRun: 200 },
  );
});
