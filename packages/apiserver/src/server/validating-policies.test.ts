import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { configMaps, createPolicyServer, type PolicyServer } from "./testdata/policy-server.ts";

const group = "/apis/admissionregistration.k8s.io/v1";

/** What a new config map is answered with: "created", or the refusal. */
async function attempt(server: PolicyServer, name: string, more: JsonObject = {}): Promise<string> {
  const { status, body } = await server.ask("POST", configMaps, { metadata: { name }, ...more });
  if (status === 201) return "created";
  const text = String(body.message);
  return `${body.reason} ${body.code}: ${text.slice(text.indexOf("denied request: ") + 16)}`;
}

test("refusals have the reason and message of the validation", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  await server.policy("validating", "p", {
    variables: [{ name: "size", expression: "size(object.metadata.name)" }],
    validations: [
      { expression: "variables.size != 1", reason: "Forbidden" },
      { expression: "variables.size != 2", message: " said " },
      {
        expression: "variables.size != 3",
        reason: "RequestEntityTooLarge",
        messageExpression: "'has ' + string(variables.size)",
      },
      { expression: "variables.size != 4", messageExpression: "'two\\nlines'", message: "plain" },
      { expression: "variables.size != 5", messageExpression: "'  '" },
      { expression: "variables.size != 6 || object.x == 1" },
    ],
  });
  const { body } = await server.ask("POST", configMaps, { metadata: { name: "a" } });
  const message =
    "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: failed expression: variables.size != 1";
  assert.equal(body.message, `configmaps "a" is forbidden: ${message}`);
  assert.deepEqual(body.details, { name: "a", kind: "configmaps", causes: [{ message }] });
  assert.equal(await attempt(server, "ab"), "Invalid 422: said");
  assert.equal(await attempt(server, "abc"), "RequestEntityTooLarge 413: has 3");
  assert.equal(await attempt(server, "abcd"), "Invalid 422: plain");
  assert.equal(
    await attempt(server, "abcde"),
    "Invalid 422: failed expression: variables.size != 5",
  );
  assert.equal(
    await attempt(server, "abcdef"),
    "Invalid 422: expression 'variables.size != 6 || object.x == 1' resulted in error: no such key: x",
  );
  assert.equal(await attempt(server, "abcdefg"), "created");
});

test("actions: a warning admits, errors count unless they are ignored", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const warns = { validationActions: ["Warn", "Audit"] };
  await server.policy("validating", "w", { validations: [{ expression: "false" }] }, warns);
  await server.policy("validating", "i", {
    failurePolicy: "Ignore",
    validations: [{ expression: "object.x == 1" }],
    auditAnnotations: [{ key: "k", valueExpression: "string(object.y)" }],
  });
  const answer = await server.ask("POST", configMaps, { metadata: { name: "a" } });
  assert.equal(answer.status, 201);
  assert.deepEqual(answer.warnings, [
    "299 - \"Validation failed for ValidatingAdmissionPolicy 'w' with binding 'w': failed expression: false\"",
  ]);
  await server.policy(
    "validating",
    "z",
    { auditAnnotations: [{ key: "k", valueExpression: "string(object.y)" }] },
    warns,
  );
  assert.equal(
    await attempt(server, "b"),
    "Invalid 422: expression 'string(object.y)' resulted in error: no such key: y",
  );
});

test("a Scale is admitted as a Scale", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const path = "/apis/apps/v1/namespaces/default/deployments";
  const labels = { a: "b" };
  await server.ask("POST", path, {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  });
  await server.policy("validating", "p", {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ["apps"],
          apiVersions: ["v1"],
          operations: ["UPDATE"],
          resources: ["deployments/scale"],
        },
      ],
    },
    validations: [
      {
        expression: "object.spec.replicas < 5",
        messageExpression:
          "object.kind + oldObject.kind + request.kind.kind + string(oldObject.spec.replicas)",
      },
    ],
  });
  const scale = (replicas: number) =>
    server.ask("PATCH", `${path}/d/scale`, { spec: { replicas } }, "application/merge-patch+json");
  assert.equal((await scale(4)).status, 200);
  const { body } = await scale(5);
  assert.match(String(body.message), /denied request: ScaleScaleScale4$/);
});

test("the delete of an eviction is not admitted, the eviction is", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const pods = "/api/v1/namespaces/default/pods";
  const metadata = { name: "a" };
  const create = () =>
    server.ask("POST", pods, { metadata, spec: { containers: [{ name: "c", image: "i" }] } });
  await create();
  const forbid = (name: string, operation: string) =>
    server.policy("validating", name, {
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["*"],
            apiVersions: ["*"],
            operations: [operation],
            resources: operation === "CREATE" ? ["pods/*"] : ["pods", "pods/*"],
          },
        ],
      },
      validations: [{ expression: "false" }],
    });
  const evict = (name = "a") =>
    server.ask("POST", `${pods}/${name}/eviction`, {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name },
    });
  await forbid("d", "DELETE");
  assert.equal((await server.ask("DELETE", `${pods}/a`)).status, 422);
  assert.equal((await evict()).status, 201);
  await create();
  assert.equal((await evict("gone")).status, 404);
  await forbid("c", "CREATE");
  assert.equal((await evict()).status, 422);
  assert.equal((await evict("gone")).status, 422);
});

test("policies see preconditions of a delete, even empty ones", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const maps = "/api/v1/namespaces/default/configmaps";
  await server.ask("POST", maps, { metadata: { name: "a" } });
  await server.policy("validating", "p", {
    matchConstraints: {
      resourceRules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] },
      ],
    },
    validations: [{ expression: "!has(request.options.preconditions)" }],
  });
  assert.equal((await server.ask("DELETE", `${maps}/a`, { preconditions: {} })).status, 422);
  assert.equal((await server.ask("DELETE", `${maps}/a`, { preconditions: null })).status, 200);
});

test("policies follow the store, and do not apply to policies", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const everything = {
    resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] }],
  };
  await server.policy("validating", "no", {
    matchConstraints: everything,
    validations: [{ expression: "false" }],
  });
  assert.equal(await attempt(server, "a"), "Invalid 422: failed expression: false");
  const path = `${group}/validatingadmissionpolicies/no`;
  const changed = await server.ask(
    "PATCH",
    path,
    { spec: { validations: [{ expression: "object.metadata.name != 'a'" }] } },
    "application/merge-patch+json",
  );
  assert.equal(changed.status, 200);
  assert.equal(await attempt(server, "b"), "created");
  assert.match(await attempt(server, "a"), /^Invalid 422/);
  assert.equal(
    (await server.ask("DELETE", `${group}/validatingadmissionpolicybindings/no`)).status,
    200,
  );
  assert.equal(await attempt(server, "a"), "created");
});

test("a policy is evaluated with each parameter", async (t) => {
  const server = await createPolicyServer();
  t.after(() => server.close());
  const spec = {
    paramKind: { apiVersion: "v1", kind: "Secret" },
    validations: [{ expression: "params == null || object.metadata.name != params.metadata.name" }],
  };
  const cases: readonly (readonly [string, JsonObject])[] = [
    ["named", { name: "one", parameterNotFoundAction: "Deny" }],
    ["all", { selector: {}, parameterNotFoundAction: "Allow" }],
  ];
  const bind = (ref: JsonObject) => ({ paramRef: ref });
  await server.policy("validating", "named", spec, bind(cases[0]![1]));
  assert.equal(
    await attempt(server, "two"),
    "Invalid 422: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  );
  for (const name of ["one", "two"])
    await server.ask("POST", "/api/v1/namespaces/default/secrets", { metadata: { name } });
  assert.equal(await attempt(server, "two"), "created");
  assert.match(await attempt(server, "one"), /failed expression/);
  await server.policy("validating", "all", spec, bind(cases[1]![1]));
  const replaced = await server.ask("PUT", `${configMaps}/two`, { metadata: { name: "two" } });
  assert.match(String(replaced.body.message), /'all' with binding 'all' denied request/);
  await server.policy(
    "validating",
    "unknown",
    {
      ...spec,
      paramKind: { apiVersion: "x.dev/v1", kind: "X" },
    },
    bind({ name: "x", parameterNotFoundAction: "Deny" }),
  );
  assert.equal(
    await attempt(server, "three"),
    "Invalid 422: failed to configure policy: failed to find resource referenced by paramKind: 'x.dev/v1, Kind=X'",
  );
});
