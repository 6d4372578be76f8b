import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createGoDecoder } from "../../kinds/serializer/go-decoder.ts";
import { compileSchema } from "../structural/compile-schema.ts";
import { coerceEmbeddedMetadata } from "./coerce-embedded-metadata.ts";
import { validateEmbeddedMetadata } from "./validate-embedded-metadata.ts";

const node = compileSchema({
  type: "object",
  properties: {
    t: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  },
});
const decoder = createGoDecoder(
  readKindData("1.36"),
  "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
  { emptyLists: "kept" },
);

const coerced = (
  t: JsonObject,
): {
  readonly t: JsonObject;
  readonly fault: string | undefined;
  readonly strict: readonly string[];
} => {
  const strict: string[] = [];
  const fault = coerceEmbeddedMetadata({ t }, node, decoder, strict);
  return { t, fault: fault && `${fault.field}: ${fault.body}`, strict };
};

test("metadata is read as Go reads it: unknown fields dropped and named, empty ones gone, times in UTC", () => {
  const { t, fault, strict } = coerced({
    metadata: { name: "n", labels: {}, odd: 1, creationTimestamp: "2020-01-01T02:00:00+02:00" },
  });
  assert.deepEqual(t, { metadata: { name: "n", creationTimestamp: "2020-01-01T00:00:00Z" } });
  assert.equal(fault, undefined);
  assert.deepEqual(strict, ['unknown field "t.metadata.odd"']);
});

test("values of a wrong type are refused with Go's messages", () => {
  assert.equal(
    coerced({ metadata: [] }).fault,
    "t.metadata: Invalid value: []: json: cannot unmarshal array into Go value of type v1.ObjectMeta",
  );
  assert.equal(coerced({ kind: 5 }).fault, "t.kind: Invalid value: 5: must be a string");
});

test("kind and apiVersion are wanted, names may be missing, labels may not be bad", () => {
  const faults = (t: JsonObject): readonly string[] =>
    validateEmbeddedMetadata({ t }, node).map(
      ({ field, body }) => `${field}: ${body.split(":")[0]}`,
    );
  assert.deepEqual(faults({}), ["t.apiVersion: Required value", "t.kind: Required value"]);
  assert.deepEqual(
    faults({ apiVersion: "a/b/c", kind: "1", metadata: { labels: { "a b": "c" } } }),
    ["t.apiVersion: Invalid value", "t.kind: Invalid value", "t.metadata.labels: Invalid value"],
  );
  assert.deepEqual(faults({ apiVersion: "v1", kind: "Pod", metadata: {} }), []);
});
