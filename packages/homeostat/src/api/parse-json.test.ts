import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "./parse-json.ts";

test("a literal that the text cuts short is refused by name, as Go's scanner does", () => {
  const rows: readonly (readonly [string, string])[] = [
    ['{"a":nul', "invalid character ' ' in literal null (expecting 'l')"],
    ["[t", "invalid character ' ' in literal true (expecting 'r')"],
    ["-", "invalid character ' ' in numeric literal"],
    ["1.", "invalid character ' ' after decimal point in numeric literal"],
    ["1e+", "invalid character ' ' in exponent of numeric literal"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u00', "invalid character ' ' in \\u hexadecimal character escape"],
    ['"a', "unexpected end of JSON input"],
    ['{"a"', "unexpected end of JSON input"],
    ['{"a":1', "unexpected end of JSON input"],
    ["[1,", "unexpected end of JSON input"],
    ["", "unexpected end of JSON input"],
  ];
  for (const [text, message] of rows) assert.throws(() => parseJson(text), { message }, text);
});
