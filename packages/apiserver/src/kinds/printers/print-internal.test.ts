// testdata/internal-structs.jsonl: objects of the API, and what upstream's encoding/json writes of
// the internal structs that it converts them to (tools/kinds/layout).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "homeostat/api";
import { printInternal as print } from "./print-internal.suite.ts";

const lines = readFileSync(new URL("testdata/internal-structs.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n");

for (const line of lines) {
  const { type, value } = JSON.parse(line) as { readonly type: string; readonly value: Json };
  test(`${type} prints as upstream's`, () => {
    const printed = line.slice(line.indexOf('"printed":') + '"printed":'.length, -1);
    assert.equal(print(type, value), printed);
  });
}

test("unset fields print as Go's zero values", () => {
  assert.equal(print("core.Taint", {}), '{"Key":"","Value":"","Effect":"","TimeAdded":null}');
  assert.equal(print("*core.Taint", null), "null");
  assert.equal(print("[]core.Taint", undefined), "null");
  assert.equal(print("[]core.Taint", []), "[]");
  assert.equal(print("*v1.LabelSelector", { matchLabels: {} }), "{}");
  assert.equal(
    print("core.ResourceFieldSelector", {}),
    '{"ContainerName":"","Resource":"","Divisor":"0"}',
  );
});

test("a pod's host namespaces print inside its security context", () => {
  const { SecurityContext } = JSON.parse(print("core.PodSpec", { hostPID: true })) as {
    readonly SecurityContext: object;
  };
  assert.deepEqual(Object.entries(SecurityContext).slice(0, 3), [
    ["HostNetwork", false],
    ["HostPID", true],
    ["HostIPC", false],
  ]);
});

test("schemas of the forms that the API has", () => {
  const schema = { items: [{ type: "string" }], additionalProperties: false };
  const { Items, AdditionalProperties } = JSON.parse(
    print("apiextensions.JSONSchemaProps", schema),
  ) as {
    readonly Items: { readonly JSONSchemas: readonly object[] };
    AdditionalProperties: object;
  };
  assert.equal(Items.JSONSchemas.length, 1);
  assert.deepEqual(AdditionalProperties, { Allows: false, Schema: null });
});

test("a struct that the data lacks is an error with a code", () => {
  assert.throws(() => print("core.Nothing", {}), { code: "ERR_KINDS_UNKNOWN_TYPE" });
});
