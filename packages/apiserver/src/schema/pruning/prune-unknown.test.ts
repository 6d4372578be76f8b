import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { compileSchema } from "../structural/compile-schema.ts";
import type { JsonSchemaProps } from "../json-schema-props.ts";
import { pruneResource } from "./prune-unknown.ts";

const pruned = (
  properties: Record<string, JsonSchemaProps>,
  object: JsonObject,
): { readonly left: JsonObject; readonly removed: readonly string[] } => {
  const removed = pruneResource(object, compileSchema({ type: "object", properties }));
  return { left: object, removed };
};

test("unknown fields go, at any depth, and are named in bytewise order", () => {
  const schema: Record<string, JsonSchemaProps> = {
    spec: {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      },
    },
  };
  const { left, removed } = pruned(schema, {
    spec: { list: [{ a: "x" }, { a: "y", b: 1 }], z: {} },
    Extra: 1,
  });
  assert.deepEqual(left, { spec: { list: [{ a: "x" }, { a: "y" }] } });
  assert.deepEqual(removed, ["Extra", "spec.list[1].b", "spec.z"]);
});

test("type and object metadata of the root are never touched", () => {
  const object = { apiVersion: "a/b", kind: "K", metadata: { name: "n", odd: 1 } };
  assert.deepEqual(pruned({}, object), { left: object, removed: [] });
  assert.deepEqual(pruneResource({ kind: "K", spec: {} }, undefined), ["spec"]);
});

test("a node that keeps unknown fields prunes on below the fields it names", () => {
  const schema: Record<string, JsonSchemaProps> = {
    free: {
      type: "object",
      "x-kubernetes-preserve-unknown-fields": true,
      properties: { known: { type: "object", properties: { a: { type: "string" } } } },
    },
  };
  const { left, removed } = pruned(schema, {
    free: { any: { thing: 1 }, known: { a: "x", b: 1 } },
  });
  assert.deepEqual(left, { free: { any: { thing: 1 }, known: { a: "x" } } });
  assert.deepEqual(removed, ["free.known.b"]);
});

test("additionalProperties true keeps values and empties the objects inside", () => {
  const { left } = pruned(
    { map: { type: "object", additionalProperties: true } },
    { map: { n: 1, o: { x: 1 }, l: [{ y: 1 }, 2] } },
  );
  assert.deepEqual(left, { map: { n: 1, o: {}, l: [{}, 2] } });
});

test("an embedded resource keeps its metadata, anything else of it is pruned", () => {
  const { left, removed } = pruned(
    {
      pod: {
        type: "object",
        "x-kubernetes-embedded-resource": true,
        properties: { spec: { type: "object" } },
      },
    },
    { pod: { kind: "Pod", metadata: { odd: 1 }, spec: { a: 1 }, b: 2 } },
  );
  assert.deepEqual(left, { pod: { kind: "Pod", metadata: { odd: 1 }, spec: {} } });
  assert.deepEqual(removed, ["pod.b", "pod.spec.a"]);
});
