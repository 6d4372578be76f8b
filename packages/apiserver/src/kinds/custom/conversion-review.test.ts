import assert from "node:assert/strict";
import { test } from "node:test";
import { convertedObjects } from "./conversion-review.ts";

test("text that is no JSON is a word to upstream's decoder, and structured text is not", () => {
  for (const [text, message] of [
    ["<h1>Bad Gateway</h1>\n", /cannot unmarshal string into Go value of type struct/],
    ["hello", /cannot unmarshal string into/],
    ["5", /cannot unmarshal number into/],
    ['{"a": ', /json parse error: unexpected end of JSON input$/],
    ["[a", /json parse error: invalid character 'a'/],
  ] as const)
    assert.throws(() => convertedObjects("v1", Buffer.from(text), "u"), message, text);
});

test("null is a review without members", () => {
  assert.throws(
    () => convertedObjects("v1", Buffer.from("null"), "u"),
    /^.*expected webhook response of apiextensions.k8s.io\/v1, Kind=ConversionReview, got \/, Kind=$/,
  );
});
