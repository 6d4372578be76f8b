// What mutating policies make of types that upstream converts on the way: a Scale, metadata of a
// custom resource, integers of 32 bits.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { at, createConversionServer, merge, post } from "./testdata/conversion-server.ts";
import { createPolicyServer } from "./testdata/policy-server.ts";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const rules = (group: string, resource: string): JsonObject => ({
  resourceRules: [
    { apiGroups: [group], apiVersions: ["v1"], operations: ["*"], resources: [resource] },
  ],
});
const spec = (matchConstraints: JsonObject, mutation: JsonObject): JsonObject => ({
  matchConstraints,
  reinvocationPolicy: "Never",
  mutations: [mutation],
});
const add = (path: string, value: string): JsonObject => ({
  patchType: "JSONPatch",
  jsonPatch: { expression: `[JSONPatch{op: 'add', path: '${path}', value: ${value}}]` },
});
const deployment = (name: string): JsonObject => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
});

test("a JSON patch changes a Scale", async (t) => {
  for (const [path, value, expected] of [
    ["/spec/replicas", "7", 7],
    [
      "/spec/replicas",
      "'x'",
      "Internal error occurred: json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32",
    ],
    ["/spec/foo", "1", 'Internal error occurred: strict decoding error: unknown field "spec.foo"'],
  ] as const) {
    const server = await createPolicyServer();
    t.after(() => server.close());
    await server.ask("POST", deployments, deployment("d"));
    await server.policy(
      "mutating",
      "p",
      spec(rules("apps", "deployments/scale"), add(path, value)),
    );
    const scale = { spec: { replicas: 3 } };
    const { body } = await server.ask("PATCH", `${deployments}/d/scale`, scale, merge);
    assert.equal((body.spec as JsonObject | undefined)?.replicas ?? body.message, expected);
  }
});

test("integers of an apply configuration wrap where the field has 32 bits", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const expression =
    "Object{spec: Object.spec{replicas: 4294967297, template: Object.spec.template{spec: Object.spec.template.spec{terminationGracePeriodSeconds: 4294967297}}}}";
  await server.policy(
    "mutating",
    "p",
    spec(rules("apps", "deployments"), {
      patchType: "ApplyConfiguration",
      applyConfiguration: { expression },
    }),
  );
  const { body } = await server.ask("POST", deployments, deployment("d"));
  const made = body.spec as { replicas: number; template: { spec: JsonObject } };
  assert.equal(made.replicas, 1);
  assert.equal(made.template.spec.terminationGracePeriodSeconds, 4294967297);
});

const mutateGears = async (
  t: Parameters<typeof createConversionServer>[0],
  resource: string,
  mutation: JsonObject,
) => {
  const server = await createConversionServer(t);
  const group = "/apis/admissionregistration.k8s.io/v1";
  const metadata = { name: "p" };
  await server.ask("POST", at("v1"), post("v1", "old", ["x"]));
  await server.ask("POST", `${group}/mutatingadmissionpolicies`, {
    metadata,
    spec: spec(rules("x.io", resource), mutation),
  });
  await server.ask("POST", `${group}/mutatingadmissionpolicybindings`, {
    metadata,
    spec: { policyName: "p" },
  });
  await server.runtime.advance(10);
  return server.ask;
};

test("a Scale of a custom resource cannot be patched", async (t) => {
  const ask = await mutateGears(t, "posts/scale", add("/spec/replicas", "7"));
  const { message } = await ask(
    "PATCH",
    `${at("v1", "old")}/scale`,
    { spec: { replicas: 3 } },
    merge,
  );
  assert.match(
    String(message),
    /denied request: request to convert CR to an invalid group\/version: autoscaling\/v1$/,
  );
});

test("metadata of a wrong type is not read from a custom resource", async (t) => {
  for (const [path, value, field] of [
    ["/metadata/labels", "{'a': 1}", "labels"],
    ["/metadata/finalizers", "'x'", "finalizers"],
    ["/metadata/generateName", "3", "generateName"],
  ] as const) {
    const ask = await mutateGears(t, "posts", add(path, value));
    const object = post("v1", "a", ["x"]);
    const { metadata } = await ask("POST", at("v1"), {
      ...object,
      metadata: { name: "a", annotations: { b: "c" } },
    });
    assert.deepEqual((metadata as JsonObject).annotations, { b: "c" });
    assert.equal((metadata as JsonObject)[field], undefined);
  }
  const ask = await mutateGears(t, "posts", add("/metadata", "1"));
  const { message } = await ask("POST", at("v1"), post("v1", "a", ["x"]));
  assert.equal(message, "Internal error occurred: system metadata was not initialized");
});
