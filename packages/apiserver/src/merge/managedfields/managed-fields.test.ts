import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { ignoreManagedFieldsTimestamps } from "./ignore-timestamps.ts";
import { decodeManagedFields, encodeManagedFields, formatManagerId } from "./managed-fields.ts";
import { managerOrUserAgent } from "./manager-name.ts";
import { toParentManagedFields, toScaleManagedFields } from "./scale-managed-fields.ts";
import { createKindTypes } from "../typed/smd-from-kind-data.ts";
import { zeroStruct } from "../../apimachinery/kind-data/zero-value.ts";

const entry = (
  manager: string,
  operation: "Apply" | "Update",
  fieldsV1: Json,
  more: JsonObject = {},
): JsonObject => ({
  manager,
  operation,
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1,
  time: "2026-01-01T00:00:00Z",
  ...more,
});
const replicas: Json = { "f:spec": { "f:replicas": {} } };

test("entries are sorted by operation, second, manager, version and subresource", () => {
  const sorted = [
    entry("z", "Apply", replicas),
    entry("a", "Update", replicas),
    entry("a", "Update", replicas, { subresource: "status" }),
    entry("b", "Update", replicas),
  ];
  assert.deepEqual(encodeManagedFields(decodeManagedFields([...sorted].reverse())), sorted);
  const times = [
    entry("b", "Update", replicas, { time: "2025-01-01T00:00:00Z" }),
    entry("a", "Update", replicas),
  ];
  assert.deepEqual(encodeManagedFields(decodeManagedFields([...times].reverse())), times);
});

test("identifiers leave out an applier's version", () => {
  assert.equal(
    formatManagerId({ manager: 'k"<', operation: "Apply", apiVersion: "v1", subresource: "" }),
    '{"manager":"k\\"\\u003c","operation":"Apply"}',
  );
  assert.equal(
    formatManagerId({ manager: "k", operation: "Update", apiVersion: "v1", subresource: "status" }),
    '{"manager":"k","operation":"Update","apiVersion":"v1","subresource":"status"}',
  );
});

test("the manager is the parameter or the printable start of the user agent", () => {
  assert.equal(managerOrUserAgent("given", "kubectl/v1"), "given");
  assert.equal(managerOrUserAgent("", "kubectl/v1.36 (linux)"), "kubectl");
  assert.equal(managerOrUserAgent("", "/x"), "");
  assert.equal(managerOrUserAgent("", "a\u0001b c"), "ab c");
  assert.equal(managerOrUserAgent("", "é".repeat(100)), "é".repeat(64));
});

test("times alone make no change", () => {
  const object = (time: string, more: JsonObject = {}): JsonObject => ({
    metadata: { name: "x", managedFields: [entry("a", "Apply", replicas, { time })] },
    ...more,
  });
  const live = object("2026-01-01T00:00:00Z");
  assert.deepEqual(ignoreManagedFieldsTimestamps(object("2026-01-01T00:00:09Z"), live), live);
  for (const next of [
    object("2026-01-01T00:00:09Z", { data: {} }),
    { metadata: { name: "x" } } as JsonObject,
  ])
    assert.equal(ignoreManagedFieldsTimestamps(next, live), next);
});

test("replicas travel between a parent and its scale", () => {
  const paths = new Map([["apps/v1", ["spec", "replicas"]]]);
  const parent = [
    entry("ann", "Apply", { "f:spec": { "f:paused": {}, "f:replicas": {} } }),
    entry("old", "Update", replicas, { apiVersion: "apps/v1beta1" }),
  ];
  const scale = toScaleManagedFields(parent, paths)!;
  assert.deepEqual(scale, [entry("ann", "Apply", replicas, { apiVersion: "autoscaling/v1" })]);
  assert.deepEqual(toParentManagedFields(parent, scale, paths, "apps/v1"), [parent[0]]);
  const scaled = [
    entry("hpa", "Update", replicas, { apiVersion: "autoscaling/v1", subresource: "scale" }),
  ];
  const { time: _, ...untimed } = entry("hpa", "Update", replicas, { subresource: "scale" });
  assert.deepEqual(toParentManagedFields(parent, scaled, paths, "apps/v1"), [
    entry("ann", "Apply", { "f:spec": { "f:paused": {} } }),
    untimed,
  ]);
  assert.deepEqual(
    toParentManagedFields(
      [entry("ann", "Update", replicas, { apiVersion: "g/v2" })],
      [],
      new Map([["g/v2", null]]),
      "g/v2",
    ),
    [entry("ann", "Update", replicas, { apiVersion: "g/v2" })],
  );
});

test("built-in types follow list rules, patch strategies and overrides", () => {
  const typeOf = createKindTypes(readKindData("1.36"));
  const field = (model: string, name: string) => typeOf(model).map!.field(name)!.type();
  const pod = "io.k8s.api.core.v1.PodSpec";
  assert.deepEqual(field(pod, "containers").list?.keys, ["name"]);
  assert.equal(field(pod, "tolerations").list?.relation, "atomic");
  assert.equal(field(pod, "nodeSelector").map?.relation, "atomic");
  assert.equal(field("io.k8s.api.apps.v1.DeploymentSpec", "selector").map?.relation, "atomic");
  assert.deepEqual(field("io.k8s.api.core.v1.Container", "ports").list?.keys, [
    "containerPort",
    "protocol",
  ]);
  assert.equal(typeOf("io.k8s.api.core.v1.ContainerPort").map?.field("protocol")?.default, "TCP");
  assert.equal(
    field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "finalizers").list?.relation,
    "set",
  );
  assert.equal(
    field("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "creationTimestamp").scalar,
    "untyped",
  );
  assert.equal(field("io.k8s.api.core.v1.ServicePort", "targetPort").map?.relation, "separable");
  assert.equal(typeOf(pod).map?.field("nothing"), undefined);
});

test("an object with nothing set has what Go's encoder never leaves out", () => {
  const data = readKindData("1.36");
  assert.deepEqual(zeroStruct(data, data.type("io.k8s.api.core.v1.ConfigMap")), { metadata: {} });
  assert.deepEqual(zeroStruct(data, data.type("io.k8s.api.apps.v1.Deployment")), {
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  });
});
