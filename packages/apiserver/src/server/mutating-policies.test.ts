import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { configMaps, createPolicyServer, type PolicyServer } from "./testdata/policy-server.ts";

const bindings = "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings";
const services = "/api/v1/namespaces/default/services";
const onServices = {
  resourceRules: [
    { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["services"] },
  ],
};
const apply = (expression: string): JsonObject => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const json = (expression: string): JsonObject => ({
  patchType: "JSONPatch",
  jsonPatch: { expression },
});
const spec = (...mutations: readonly JsonObject[]): JsonObject => ({
  reinvocationPolicy: "Never",
  mutations: [...mutations],
});

async function open(t: { after(run: () => Promise<void>): void }): Promise<PolicyServer> {
  const server = await createPolicyServer();
  t.after(() => server.close());
  return server;
}

/** The data of a new config map, or the status of its refusal. */
async function create(server: PolicyServer, data: JsonObject = {}): Promise<JsonObject> {
  const { body } = await server.ask("POST", `${configMaps}?dryRun=All`, {
    metadata: { name: "a" },
    data,
  });
  return body.kind === "Status" ? body : ((body.data ?? {}) as JsonObject);
}

test("apply configurations are merged and defaulted, patches see earlier mutations", async (t) => {
  const server = await open(t);
  await server.policy(
    "mutating",
    "a",
    spec(
      apply('Object{data: {"size": string(size(object.data))}}'),
      json(
        '[JSONPatch{op: "test", path: "/data/size", value: "1"}, JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("k.1"), value: "v"}]',
      ),
      json('[JSONPatch{op: "test", path: "/data/size", value: "no"}]'),
    ),
  );
  assert.deepEqual(await create(server, { x: "y" }), { size: "1", x: "y", "k.1": "v" });
  assert.deepEqual(await create(server, { x: "y", z: "" }), { size: "2", x: "y", z: "" });
});

test("list items are merged by their keys, and integers stay integers", async (t) => {
  const server = await open(t);
  await server.policy("mutating", "p", {
    ...spec(
      apply(
        'Object{spec: Object.spec{ports: [Object.spec.ports{port: 80, protocol: "TCP", name: "web"}, Object.spec.ports{port: 81, protocol: "TCP", name: "more"}]}}',
      ),
      json(
        '[JSONPatch{op: "add", path: "/spec/ports/-", value: Object.spec.ports{name: "c", port: 82}}]',
      ),
    ),
    matchConstraints: onServices,
  });
  const { body } = await server.ask("POST", `${services}?dryRun=All`, {
    metadata: { name: "s" },
    spec: { clusterIP: "None", ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }] },
  });
  assert.deepEqual((body.spec as JsonObject).ports, [
    { name: "web", port: 80, protocol: "TCP", targetPort: 8080 },
    { name: "more", port: 81, protocol: "TCP", targetPort: 81 },
    { name: "c", port: 82, protocol: "TCP", targetPort: 82 },
  ]);
});

test("mutations fail with upstream's messages, all of them as causes", async (t) => {
  const server = await open(t);
  const mismatch =
    'type mismatch: unexpected type name "Object.nodata", expected "Object.data", which matches field name path from root Object type';
  const table: readonly (readonly [JsonObject, string])[] = [
    [apply("Object{data: Object.nodata{}}"), mismatch],
    [
      apply("Object{nothing: 1}"),
      "error applying patch: failed to convert patch object to typed object: .nothing: field not declared in schema",
    ],
    [
      apply('Object{metadata: Object.metadata{ownerReferences: [{"uid": "a"}]}}'),
      "error applying patch: failed to convert patch object to typed object: .metadata.ownerReferences: element 0: associative list with keys may not have non-map elements",
    ],
    [
      apply("Object{metadata: Object.metadata{managedFields: []}}"),
      "error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .metadata.managedFields",
    ],
    [
      apply("Object{data: null}"),
      "error applying patch: failed to convert patch object to typed object: .data: expected map, got &{NULL_VALUE}",
    ],
    [
      apply("Object{metadata: Object.metadata{generation: 1u}}"),
      "error applying patch: failed to convert patch object to typed object: .metadata.generation: expected numeric (int or float), got uint64",
    ],
    [
      apply("Object{metadata: Object.metadata{generation: 1.5}}"),
      "unable to convert unstructured object to /v1, Kind=ConfigMap: cannot convert float64 to int64",
    ],
    [
      json('[JSONPatch{op: "remove", path: "/data/x"}]'),
      "JSON Patch: error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
    ],
    [
      apply("Object{data: object.y}"),
      "expression 'Object{data: object.y}' resulted in error: no such key: y",
    ],
  ];
  for (const [i, [mutation]] of table.entries())
    await server.policy("mutating", `p${i}`, spec(mutation));
  await server.policy("mutating", "q", {
    ...spec(apply("Object{nothing: 1}")),
    failurePolicy: "Ignore",
  });
  const refused = await create(server, { k: "v" });
  const causes = table.map(([, message], i) => ({
    message: `policy 'p${i}' with binding 'p${i}' denied request: ${message}`,
  }));
  assert.deepEqual(refused.details, { name: "a", kind: "configmaps", causes });
  assert.deepEqual(
    [refused.code, refused.reason, refused.message],
    [403, "Invalid", causes[0]!.message],
  );
});

test("a patch that leaves no such object ends the request, whatever the failure policy", async (t) => {
  const server = await open(t);
  await server.policy("mutating", "p", {
    ...spec(json('[JSONPatch{op: "add", path: "/daata", value: {"a": "b"}}]')),
    failurePolicy: "Ignore",
  });
  const refused = await create(server);
  assert.deepEqual(
    [refused.code, refused.message],
    [500, 'Internal error occurred: strict decoding error: unknown field "daata"'],
  );
});

test("a patch cannot make another kind of the object", async (t) => {
  const server = await open(t);
  const refusal = async (path: string, value: string): Promise<unknown> => {
    await server.policy(
      "mutating",
      value.toLowerCase(),
      spec(json(`[JSONPatch{op: "replace", path: "${path}", value: "${value}"}]`)),
    );
    const { message } = await create(server);
    await server.ask("DELETE", `${bindings}/${value.toLowerCase()}`);
    return message;
  };
  assert.equal(
    await refusal("/kind", "Secret"),
    "Internal error occurred: failed to convert object: converting (v1.Secret) to (core.ConfigMap): unknown conversion",
  );
  await server.policy(
    "mutating",
    "c",
    spec(json('[JSONPatch{op: "replace", path: "/kind", value: "Secret"}]')),
  );
  assert.equal(
    (await create(server, { a: "!" })).message,
    "Internal error occurred: illegal base64 data at input byte 0",
  );
  await server.ask("DELETE", `${bindings}/c`);
  assert.equal(
    await refusal("/apiVersion", "v7"),
    'Internal error occurred: no kind "ConfigMap" is registered for version "v7" in scheme "pkg/runtime/scheme.go:111"',
  );
});

test("parameters that are missing refuse with Forbidden", async (t) => {
  const server = await open(t);
  await server.policy(
    "mutating",
    "p",
    { ...spec(apply("Object{}")), paramKind: { apiVersion: "v1", kind: "Secret" } },
    { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
  );
  const refused = await create(server);
  assert.deepEqual(
    [refused.code, refused.reason, refused.message],
    [
      403,
      "Forbidden",
      "policy 'p' with binding 'p' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
    ],
  );
});

test("a policy that allows it runs again after others have changed the object", async (t) => {
  const server = await open(t);
  const count = (key: string): JsonObject =>
    apply(`Object{data: {"${key}": "x" + (has(object.data.${key}) ? object.data.${key} : "")}}`);
  await server.policy("mutating", "a", { ...spec(count("a")), reinvocationPolicy: "IfNeeded" });
  await server.policy("mutating", "b", spec(count("b")));
  assert.deepEqual(await create(server, { k: "v" }), { a: "xx", b: "x", k: "v" });
});

test("conditions decide whether a policy mutates", async (t) => {
  const server = await open(t);
  await server.policy("mutating", "p", {
    ...spec(apply('Object{data: {"a": "b"}}')),
    matchConditions: [{ name: "on", expression: "object.data.on == 'yes'" }],
  });
  assert.deepEqual(await create(server, { on: "yes" }), { a: "b", on: "yes" });
  assert.deepEqual(await create(server, { on: "no" }), { on: "no" });
  assert.equal(
    (await create(server)).message,
    "policy 'p' with binding 'p' denied request: expression 'object.data.on == 'yes'' resulted in error: no such key: data",
  );
});
