import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../api/json.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";

const object: JsonObject & { metadata: JsonObject } = {
  metadata: {
    name: "lunch",
    managedFields: [
      {
        manager: "kitchen/orders",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:cooked": {} } },
      },
      { manager: "kitchen/orders", operation: "Update", fieldsV1: { "f:spec": {} } },
      { manager: "kubectl", operation: "Apply", fieldsV1: { "f:spec": { "f:table": {} } } },
    ],
  },
  spec: {
    table: 1,
    dishes: [
      { name: "soup", hot: true },
      { name: "salad", hot: false },
    ],
    tags: ["a", "b"],
  },
  status: {
    cooked: 2,
    conditions: [
      { type: "Ready", status: "True", reason: "Served" },
      { type: "Paid", status: "False", reason: "Open" },
    ],
  },
};

test("finds the Apply entry of one manager and one subresource, and no other", () => {
  assert.deepEqual(appliedFields(object, "kitchen/orders", "status"), {
    "f:status": { "f:cooked": {} },
  });
  assert.equal(
    appliedFields(object, "kitchen/orders", ""),
    undefined,
    "an Update entry does not count",
  );
  assert.equal(appliedFields(object, "kitchen/meals", "status"), undefined);
});

test("extracts exactly the fields named", () => {
  assert.deepEqual(extractFields(object, { "f:spec": { "f:table": {} } }), { spec: { table: 1 } });
});

test("extracts items of map lists by key, sets by value, and whole atomic values", () => {
  const fields = {
    "f:status": {
      "f:conditions": { 'k:{"type":"Ready"}': { ".": {}, "f:type": {}, "f:status": {} } },
    },
    "f:spec": { "f:tags": { 'v:"b"': {} }, "f:dishes": {} },
  };
  assert.deepEqual(extractFields(object, fields), {
    status: { conditions: [{ type: "Ready", status: "True" }] },
    spec: {
      tags: ["b"],
      dishes: [
        { name: "soup", hot: true },
        { name: "salad", hot: false },
      ],
    },
  });
});

test("omits fields that no longer exist", () => {
  assert.deepEqual(extractFields(object, { "f:spec": { "f:gone": {}, "f:table": {} } }), {
    spec: { table: 1 },
  });
});
