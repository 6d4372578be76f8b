// Admission policies and webhooks see a custom resource in the version that they match, also where
// a webhook has to convert it; and so are their parameters.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import {
  at,
  createConversionServer,
  definition,
  merge,
  messageOf,
  root,
  tagsOf,
} from "./testdata/conversion-server.ts";

type Server = Awaited<ReturnType<typeof createConversionServer>>;

const group = "/apis/admissionregistration.k8s.io/v1";
const matchConstraints = (version: string, resource = "posts"): JsonObject => ({
  matchPolicy: "Equivalent",
  resourceRules: [
    {
      apiGroups: [resource === "posts" ? "x.io" : ""],
      apiVersions: [version],
      operations: ["*"],
      resources: [resource],
    },
  ],
});

async function bind(
  { ask, runtime }: Server,
  kind: "validating" | "mutating",
  spec: JsonObject,
  binding: JsonObject = {},
): Promise<void> {
  const metadata = { name: "p" };
  const actions: JsonObject = kind === "validating" ? { validationActions: ["Deny"] } : {};
  for (const [resource, body] of [
    ["policies", spec],
    ["policybindings", { policyName: "p", ...actions, ...binding }],
  ] as const)
    await ask("POST", `${group}/${kind}admission${resource}`, { metadata, spec: body });
  await runtime.advance(10);
}

test("a validating policy sees the version that it matches", async (t) => {
  const server = await createConversionServer(t);
  const { create, ask } = server;
  await bind(server, "validating", {
    matchConstraints: matchConstraints("v1"),
    matchConditions: [{ name: "c", expression: "request.operation != 'DELETE'" }],
    validations: [
      {
        expression:
          "object.spec.tags.size() < 3 && (oldObject == null || oldObject.spec.tags[0] == 'x')",
        messageExpression: "object.apiVersion + ' ' + object.spec.tags.join('+')",
      },
    ],
  });
  assert.equal(tagsOf(await create("v1beta1", "a", "x,y")), "x,y");
  assert.match(
    String(messageOf(await create("v1beta1", "b", "x,y,z"))),
    /denied request: x.io\/v1 x\+y\+z$/,
  );
  const patched = await ask("PATCH", at("v1beta1", "a"), { spec: { tags: "q" } }, merge);
  assert.equal(tagsOf(patched), "q");
  const again = await ask("PATCH", at("v1beta1", "a"), { spec: { tags: "x" } }, merge);
  assert.match(String(messageOf(again)), /denied request: x.io\/v1 x$/);
  assert.equal((await ask("DELETE", at("v1beta1", "a"))).status, "Success");
});

test("a version that is not served is matched too", async (t) => {
  const server = await createConversionServer(t);
  const { create, ask } = server;
  const unserved = definition("v1beta1") as { readonly spec: { readonly versions: JsonObject[] } };
  unserved.spec.versions[0]!.served = false;
  const { metadata } = await ask("GET", `${root}/posts.x.io`);
  const { resourceVersion } = metadata as JsonObject;
  await ask("PUT", `${root}/posts.x.io`, {
    ...unserved,
    metadata: { name: "posts.x.io", resourceVersion: resourceVersion! },
  } as JsonObject);
  await bind(server, "validating", {
    matchConstraints: matchConstraints("v1"),
    validations: [
      { expression: "false", messageExpression: "object.apiVersion + ' ' + object.spec.tags[1]" },
    ],
  });
  await server.runtime.advance(1000);
  assert.match(
    String(messageOf(await create("v1beta1", "b", "x,y"))),
    /denied request: x.io\/v1 y$/,
  );
  assert.equal((await server.send("GET", at("v1", "b"))).status, 404);
});

for (const [patchType, mutation] of [
  [
    "ApplyConfiguration",
    {
      applyConfiguration: {
        expression: "Object{spec: Object.spec{size: object.spec.tags.size()}}",
      },
    },
  ],
  [
    "JSONPatch",
    {
      jsonPatch: {
        expression:
          "[JSONPatch{op: 'add', path: '/spec/size', value: object.spec.tags.size()}, JSONPatch{op: 'add', path: '/spec/tags/-', value: 'more'}]",
      },
    },
  ],
] as const)
  test(`a mutating policy changes the version that it matches, in both passes, by ${patchType}`, async (t) => {
    const server = await createConversionServer(t);
    const { create } = server;
    await bind(server, "mutating", {
      matchConstraints: matchConstraints("v1"),
      reinvocationPolicy: "IfNeeded",
      mutations: [{ patchType, ...mutation }],
    });
    const created = await create("v1beta1", "a", "x,y");
    assert.deepEqual(
      created.spec,
      patchType === "JSONPatch" ? { tags: "x,y,more,more", size: 3 } : { tags: "x,y", size: 2 },
    );
  });

const paramKind = { apiVersion: "x.io/v1beta1", kind: "Post" };
const byParams = {
  paramKind,
  matchConstraints: matchConstraints("v1", "configmaps"),
  validations: [
    { expression: "false", messageExpression: "params.apiVersion + ' ' + params.spec.tags" },
  ],
};
const configMap = { metadata: { name: "c" } };
const configMaps = "/api/v1/namespaces/default/configmaps";

for (const [how, ref] of [
  ["name", { name: "a" }],
  ["selector", { selector: {} }],
] as const)
  test(`parameters by ${how} come in the version of paramKind`, async (t) => {
    const server = await createConversionServer(t);
    const { create, ask } = server;
    await create("v1", "a", ["x", "y"]);
    await bind(server, "validating", byParams, {
      paramRef: { ...ref, parameterNotFoundAction: "Deny" },
    });
    const refused = await ask("POST", configMaps, configMap);
    assert.match(String(messageOf(refused)), /denied request: x.io\/v1beta1 x,y$/);
  });

for (const [failurePolicy, outcome] of [
  [
    "Fail",
    [
      422,
      /p' with binding 'p' denied request: failed to configure binding: paramKind kind `&ParamKind\{APIVersion:x.io\/v1beta1,Kind:Post,\}` not yet synced to use for admission$/,
    ],
  ],
  ["Ignore", [undefined, /^ConfigMap$/]],
] as const)
  test(`parameters that cannot be converted count as the failure policy ${failurePolicy}`, async (t) => {
    const server = await createConversionServer(t);
    const { create, ask, turner } = server;
    await create("v1", "a", ["x", "y"]);
    await bind(
      server,
      "validating",
      { ...byParams, failurePolicy },
      { paramRef: { name: "a", parameterNotFoundAction: "Deny" } },
    );
    turner.answer = (request: JsonObject): JsonObject => ({
      uid: request.uid!,
      result: { status: "Failure", message: "no" },
      convertedObjects: [],
    });
    const answer = await ask("POST", configMaps, configMap);
    const [code, message] = outcome;
    assert.equal(answer.code as Json | undefined, code);
    assert.match(String(messageOf(answer)), message);
  });
