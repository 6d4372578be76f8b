import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { pathSegmentName, validateObjectMeta } from "./validate-object-meta.ts";
import { validateMetaUpdate } from "./validate-meta-update.ts";

const faults = (metadata: JsonObject, scope = { namespaced: true }): readonly string[] =>
  validateObjectMeta(
    { metadata: { name: "a", namespace: "n", ...metadata } },
    scope,
    pathSegmentName,
  ).map(({ field, body }) => `${field}: ${body.slice(0, 61)}`);
const changes = (metadata: JsonObject, old: JsonObject): readonly string[] => {
  const base = { name: "a", namespace: "n", uid: "u", resourceVersion: "1" };
  return validateMetaUpdate(
    { metadata: { ...base, ...metadata } },
    { metadata: { ...base, ...old } },
  ).map(({ field, body }) => `${field}: ${body}`);
};

test("a sound object has no faults", () => {
  assert.deepEqual(
    faults({
      labels: { "e.org/a": "b" },
      annotations: { "UPPER/x": "" },
      finalizers: ["e.org/f"],
      ownerReferences: [{ apiVersion: "v1", kind: "K", name: "n", uid: "u" }],
      managedFields: [{ operation: "Apply", manager: "m", fieldsType: "FieldsV1" }],
    }),
    [],
  );
});

test("each rule names its field", () => {
  assert.deepEqual(faults({ name: "a/b" }), [
    "metadata.name: Invalid value: \"a/b\": may not contain '/'",
  ]);
  assert.deepEqual(faults({ name: "" }), [
    "metadata.name: Required value: name or generateName is required",
  ]);
  assert.deepEqual(faults({ namespace: "" }), ["metadata.namespace: Required value"]);
  assert.deepEqual(faults({}, { namespaced: false }), [
    "metadata.namespace: Forbidden: not allowed on this type",
  ]);
  assert.deepEqual(faults({ generation: -1 }), [
    "metadata.generation: Invalid value: -1: must be greater than or equal to 0",
  ]);
  assert.deepEqual(faults({ finalizers: ["orphan", "foregroundDeletion"] }).length, 1);
  assert.deepEqual(faults({ annotations: { a: "x".repeat(262_145) } }), [
    "metadata.annotations: Too long: may not be more than 262144 bytes",
  ]);
  assert.deepEqual(
    faults({ ownerReferences: [{ apiVersion: "a/b/c", kind: "", name: "n", uid: "u" }] }),
    [
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
      'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    ],
  );
  assert.deepEqual(faults({ managedFields: [{ operation: "Nope" }] }), [
    'metadata.managedFields[0].operation: Invalid value: "Nope": must be `Apply` or `Update`',
  ]);
});

test("two controllers are one too many, and a bad reference is shown as Go writes it", () => {
  const [fault] = validateObjectMeta(
    {
      metadata: {
        name: "a",
        namespace: "n",
        ownerReferences: ["x", "y"].map((name) => ({
          uid: "u",
          name,
          kind: "K",
          controller: true,
          apiVersion: "v1",
        })),
      },
    },
    { namespaced: true },
    pathSegmentName,
  );
  assert.equal(
    fault!.body,
    'Invalid value: [{"apiVersion":"v1","kind":"K","name":"x","uid":"u","controller":true},{"apiVersion":"v1","kind":"K","name":"y","uid":"u","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for K/x and K/y',
  );
});

test("what may not change", () => {
  assert.deepEqual(changes({}, {}), []);
  assert.deepEqual(changes({ uid: "v" }, {}), [
    'metadata.uid: Invalid value: "v": field is immutable',
  ]);
  assert.deepEqual(changes({ generation: 1 }, { generation: 2 }), [
    "metadata.generation: Invalid value: 1: must not be decremented",
  ]);
  assert.deepEqual(changes({ deletionTimestamp: "2020-01-01T00:00:00Z" }, {}), [
    'metadata.deletionTimestamp: Invalid value: "2020-01-01T00:00:00Z": field is immutable',
  ]);
  assert.deepEqual(
    changes(
      { finalizers: ["b", "a", "c"], deletionTimestamp: "t" },
      { finalizers: ["c"], deletionTimestamp: "t" },
    ),
    [
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a", "b"}',
    ],
  );
});
