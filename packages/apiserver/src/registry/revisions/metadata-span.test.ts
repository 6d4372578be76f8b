import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeObjectBytes, headLength, parseStored } from "./stored-json.ts";
import { metadataSpan, wrapMetadata } from "./metadata-span.ts";

const gvk = { kind: "Order", apiVersion: "bench.example.com/v1" };
const cut = (object: object): unknown => {
  const span = metadataSpan(encodeObjectBytes({ ...gvk, ...object } as never), headLength(gvk));
  return span && parseStored(wrapMetadata(span, "v1"));
};

test("cuts the span that a parser finds, for any strings", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"', "\\", '\\"', "}", '{"metadata":{'),
  );
  fc.assert(
    fc.property(fc.dictionary(text, text), fc.dictionary(text, text), (annotations, labels) => {
      const metadata = {
        name: "one",
        annotations,
        managedFields: [{ fieldsV1: { "f:a": labels } }],
      };
      const expected = parseStored(
        encodeObjectBytes({
          kind: "PartialObjectMetadata",
          apiVersion: "meta.k8s.io/v1",
          metadata,
        }),
      );
      assert.deepEqual(cut({ metadata, spec: { metadata: {} } }), expected);
    }),
  );
});

test("finds nothing where metadata does not follow the head", () => {
  assert.equal(cut({ spec: { metadata: { name: "x" } } }), undefined);
  assert.equal(cut({ metadata: null }), undefined);
});
