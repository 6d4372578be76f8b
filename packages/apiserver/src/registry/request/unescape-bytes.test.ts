import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { unescapeBytes } from "./unescape-bytes.ts";

test("escapes are bytes, and need not be text", () => {
  assert.equal(unescapeBytes("a%2Fb%C3%A4"), "a/bä");
  assert.equal(unescapeBytes("a%zz"), undefined);
  assert.equal(quoteGo(unescapeBytes("%ff%C3%A4%C3")!), '"\\xffä\\xc3"');
  assert.equal(unescapeBytes("%ff")!.toWellFormed(), "\ufffd");
});

test("what Go does not print is escaped", () => {
  assert.equal(
    quoteGo('a\u0085\u200b\u00a0😀\ufeff\u0001"\\\u{e0001}é '),
    '"a\\u0085\\u200b\\u00a0😀\\ufeff\\x01\\"\\\\\\U000e0001é "',
  );
});
