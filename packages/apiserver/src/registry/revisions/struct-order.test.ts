import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeStruct } from "./struct-order.ts";

test("a Status and its causes stand in the order of Go's fields", () => {
  const status = {
    code: 422,
    details: { causes: [{ field: "f", message: "m", reason: "r" }], kind: "K", name: "n" },
    reason: "Invalid",
    message: "a<b",
    status: "Failure",
    metadata: {},
    apiVersion: "v1",
    kind: "Status",
  };
  assert.equal(
    encodeStruct(status),
    '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"a\\u003cb","reason":"Invalid","details":{"name":"n","kind":"K","causes":[{"reason":"r","message":"m","field":"f"}]},"code":422}',
  );
});

test("metadata on its own is a struct, in a row of a Table too", () => {
  const row = {
    object: {
      metadata: { uid: "u", name: "n", labels: { b: "1", a: "2" } },
      apiVersion: "meta.k8s.io/v1",
      kind: "PartialObjectMetadata",
    },
    cells: ["n"],
  };
  assert.equal(
    encodeStruct({
      rows: [row],
      columnDefinitions: null,
      apiVersion: "meta.k8s.io/v1",
      kind: "Table",
    }),
    '{"kind":"Table","apiVersion":"meta.k8s.io/v1","columnDefinitions":null,"rows":[{"cells":["n"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n","uid":"u","labels":{"a":"2","b":"1"}}}}]}',
  );
});

test("other kinds are left to their own encoders", () => {
  assert.equal(encodeStruct({ kind: "Status", apiVersion: "traffic.example.com/v1" }), undefined);
});
