import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createBuiltinResources } from "../kinds/create-builtin-resources.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { createTestServer, widget, widgetsPath } from "./testdata/test-server.ts";

const merge = { "content-type": "application/merge-patch+json" };
const jsonPatch = { "content-type": "application/json-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const meta = (object: JsonObject): JsonObject => object.metadata as JsonObject;

test("create fills in the server's fields and drops those that clients cannot set", async () => {
  const { ask } = await createTestServer();
  const { status, body } = await ask(
    "POST",
    widgetsPath,
    widget(
      "a",
      { size: 1 },
      {
        uid: "mine",
        deletionTimestamp: "2020-01-01T00:00:00Z",
        creationTimestamp: "2020-01-01T00:00:00Z",
      },
    ),
  );
  assert.equal(status, 201);
  assert.match(String(meta(body).uid), /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assert.equal(meta(body).creationTimestamp, "2026-01-01T00:00:00Z");
  assert.equal(meta(body).deletionTimestamp, undefined);
  assert.equal(meta(body).namespace, "home");
  assert.equal(meta(body).generation, 1);
  assert.match(String(meta(body).resourceVersion), /^[1-9]/);
  assert.deepEqual(
    (meta(body).managedFields as JsonObject[]).map(({ manager, operation }) => [
      manager,
      operation,
    ]),
    [["test", "Update"]],
  );
});

test("an update cannot bring selfLink back, but a dry run returns it", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, widget("a"));
  const linked = async (query: string, more: JsonObject = {}) => {
    const body = { metadata: { selfLink: "/x", ...more } };
    return meta((await ask("PATCH", `${widgetsPath}/a${query}`, body, merge)).body);
  };
  assert.equal((await linked("?dryRun=All")).selfLink, "/x");
  const { resourceVersion } = meta((await ask("GET", `${widgetsPath}/a`)).body);
  const unchanged = await linked("");
  assert.deepEqual([unchanged.selfLink, unchanged.resourceVersion], [undefined, resourceVersion]);
  assert.equal((await linked("", { labels: { a: "b" } })).selfLink, undefined);
});

test("create is refused with upstream's messages", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, widget("a"));
  const table: readonly (readonly [Json | string, number, string])[] = [
    [widget("a"), 409, 'widgets.example.com "a" already exists'],
    [
      widget("b", {}, { resourceVersion: "7" }),
      500,
      "resourceVersion should not be set on objects to be created",
    ],
    [
      widget("b", {}, { namespace: "else" }),
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      widget("B", { size: -1 }),
      422,
      'Widget.example.com "B" is invalid: [metadata.name: Invalid value: "B": must be lower case, spec.size: Invalid value: -1: must not be negative]',
    ],
    [
      "{",
      400,
      "the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    ],
    [
      "",
      400,
      "the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ],
    [
      { kind: "Gadget" },
      400,
      'Gadget in version "v1" cannot be handled as a Widget: no kind "Gadget" is registered for version "example.com/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
  ];
  for (const [body, status, message] of table) {
    const answer = await ask("POST", widgetsPath, body);
    assert.deepEqual([answer.status, answer.body.message], [status, message]);
  }
  assert.equal(
    (await ask("POST", "/apis/example.com/v1/namespaces/nowhere/widgets", widget("a"))).body
      .message,
    'namespaces "nowhere" not found',
  );
});

test("a dry run answers and stores nothing", async () => {
  const { ask, store } = await createTestServer();
  const before = store.revision();
  const { status, body } = await ask("POST", `${widgetsPath}?dryRun=All`, widget("a"));
  assert.deepEqual(
    [status, meta(body).resourceVersion, store.revision()],
    [201, undefined, before],
  );
});

test("generated names differ, and are cut to what a name may be long", async () => {
  const { ask } = await createTestServer();
  const names = new Set<unknown>();
  for (let i = 0; i < 20; i++) {
    const { body } = await ask("POST", widgetsPath, { metadata: { generateName: "g".repeat(80) } });
    assert.match(String(meta(body).name), /^g{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    names.add(meta(body).name);
  }
  assert.equal(names.size, 20);
});

test("updates need the newest resourceVersion or none, and change the generation with the spec alone", async () => {
  const { ask } = await createTestServer();
  const created = (await ask("POST", widgetsPath, widget("a", { size: 1 }))).body;
  const labelled = await ask("PUT", `${widgetsPath}/a`, {
    ...created,
    metadata: { ...meta(created), labels: { l: "1" } },
  });
  assert.deepEqual([labelled.status, meta(labelled.body).generation], [200, 1]);
  const stale = await ask("PUT", `${widgetsPath}/a`, { ...created, spec: { size: 2 } });
  assert.deepEqual([stale.status, stale.body.reason], [409, "Conflict"]);
  const unconditional = await ask("PUT", `${widgetsPath}/a`, widget("a", { size: 2 }));
  assert.deepEqual([unconditional.status, meta(unconditional.body).generation], [200, 2]);
  assert.equal((await ask("PUT", `${widgetsPath}/b`, widget("b"))).status, 404);
});

test("a write that changes nothing keeps the resourceVersion", async () => {
  const { ask, store } = await createTestServer();
  const created = (await ask("POST", widgetsPath, widget("a", { size: 1 }))).body;
  const before = store.revision();
  assert.deepEqual((await ask("PUT", `${widgetsPath}/a`, created)).body, created);
  assert.deepEqual(
    (await ask("PATCH", `${widgetsPath}/a`, { spec: { size: 1 } }, merge)).body,
    created,
  );
  assert.equal(store.revision(), before);
});

test("status and spec are written through their own endpoints", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, { ...widget("a", { size: 1 }), status: { on: true } });
  const main = await ask(
    "PATCH",
    `${widgetsPath}/a`,
    { spec: { size: 2 }, status: { on: true } },
    merge,
  );
  assert.deepEqual([main.body.spec, main.body.status], [{ size: 2 }, undefined]);
  const status = await ask(
    "PATCH",
    `${widgetsPath}/a/status`,
    { spec: { size: 9 }, status: { on: true } },
    merge,
  );
  assert.deepEqual(
    [status.body.spec, status.body.status, meta(status.body).generation],
    [{ size: 2 }, { on: true }, 2],
  );
});

test("patches of each type, and their refusals", async () => {
  const { ask } = await createTestServer();
  await ask("POST", widgetsPath, widget("a", { size: 1 }));
  assert.deepEqual(
    (
      await ask(
        "PATCH",
        `${widgetsPath}/a`,
        [{ op: "replace", path: "/spec/size", value: 2 }],
        jsonPatch,
      )
    ).body.spec,
    { size: 2 },
  );
  const applied = await ask(
    "PATCH",
    `${widgetsPath}/a?fieldManager=m&force=true`,
    "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 3}\n",
    apply,
  );
  assert.deepEqual([applied.status, applied.body.spec], [200, { size: 3 }]);
  const created = await ask(
    "PATCH",
    `${widgetsPath}/b?fieldManager=m`,
    widget("b", { size: 4 }),
    apply,
  );
  assert.deepEqual([created.status, meta(created.body).generation], [201, 1]);
  const table: readonly (readonly [
    string,
    Json | string,
    Readonly<Record<string, string>>,
    number,
    RegExp,
  ])[] = [
    ["a", {}, { "content-type": "application/json" }, 415, /^415: Unsupported Media Type$/],
    ["a", "[]", merge, 400, /cannot unmarshal array into Go value of type map/],
    ["zz", {}, merge, 404, /widgets.example.com "zz" not found/],
    ["zz", "{", merge, 404, /widgets.example.com "zz" not found/],
    ["zz", [5], jsonPatch, 404, /widgets.example.com "zz" not found/],
    [
      "a",
      { metadata: { name: "q" } },
      merge,
      400,
      /^the name of the object \(q\) does not match the name on the URL \(a\)$/,
    ],
    ["a", { metadata: { resourceVersion: "1" } }, merge, 409, /the object has been modified/],
    [
      "a",
      { metadata: { uid: "other" } },
      merge,
      422,
      /metadata.uid: Invalid value: "other": field is immutable/,
    ],
    [
      "a?fieldValidation=Strict",
      { nope: 1 },
      merge,
      422,
      /strict decoding error: unknown field "nope"/,
    ],
    [
      "a",
      { spec: { size: 9 } },
      apply,
      422,
      /fieldManager: Required value: is required for apply patch/,
    ],
  ];
  for (const [path, body, headers, status, message] of table) {
    const answer = await ask("PATCH", `${widgetsPath}/${path}`, body, headers);
    assert.equal(answer.status, status);
    assert.match(String(answer.body.message), message);
  }
});

test("unknown fields warn, are refused, or are dropped in silence", async () => {
  const { ask } = await createTestServer();
  const body = { ...widget("a"), extra: 1 };
  assert.deepEqual((await ask("POST", `${widgetsPath}?dryRun=All`, body)).headers.warning, [
    '299 - "unknown field \\"extra\\""',
  ]);
  assert.equal(
    (await ask("POST", `${widgetsPath}?dryRun=All&fieldValidation=Ignore`, body)).headers.warning,
    undefined,
  );
  assert.equal(
    (await ask("POST", `${widgetsPath}?fieldValidation=Strict`, body)).body.message,
    'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "extra"',
  );
});

test("an owner named twice is kept once, with a warning", async () => {
  const { ask } = await createTestServer();
  const owner = { apiVersion: "v1", kind: "X", name: "x", uid: "u" };
  const { body, headers } = await ask(
    "POST",
    widgetsPath,
    widget("a", {}, { ownerReferences: [owner, { ...owner }] }),
  );
  assert.deepEqual(meta(body).ownerReferences, [owner]);
  assert.match(String(headers.warning), /duplicate UID\(s\) observed: u/);
});

test("a body that is too large is refused after authentication and routing", async () => {
  const { ask, core } = await createTestServer();
  const large = "a".repeat(3 * 1024 * 1024 + 1);
  const json = { "content-type": "application/json" };
  for (const [method, path, headers] of [
    ["POST", widgetsPath, json],
    ["PUT", `${widgetsPath}/a`, json],
    ["PATCH", `${widgetsPath}/a`, merge],
    ["DELETE", widgetsPath, json],
  ] as const) {
    const { status, body } = await ask(method, path, large, headers);
    assert.deepEqual(
      [status, body.reason, body.message, body.details],
      [413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728", undefined],
      method,
    );
  }
  assert.equal((await ask("POST", widgetsPath, large, { "content-type": "x/y" })).status, 415);
  assert.equal(
    (await ask("POST", "/apis/example.com/v1/namespaces/home/nothings", large, json)).status,
    404,
  );
  const stranger = await core.handler({
    method: "POST",
    path: widgetsPath,
    headers: { ...json, authorization: "Bearer wrong" },
    body: new TextEncoder().encode(large),
  });
  assert.equal(stranger.status, 401);
});

test("managers own an empty list, which is stored as none", async () => {
  const data = readKindData("1.36");
  const serve = createBuiltinResources({ data, smdOf: createKindTypes(data) }).filter(
    ({ kind }) => kind === "Role",
  );
  const { ask } = await createTestServer({ serve });
  const path = "/apis/rbac.authorization.k8s.io/v1/namespaces/home/roles";
  const owned = (body: JsonObject) =>
    JSON.stringify(meta(body).managedFields ?? []).includes('"f:rules"');
  const { body } = await ask("POST", path, { metadata: { name: "a" }, rules: [] });
  assert.deepEqual([body.rules, owned(body)], [null, true]);
  await ask("POST", path, { metadata: { name: "b" }, rules: null });
  const { body: patched } = await ask("PATCH", `${path}/b`, { rules: [] }, merge);
  // Nothing changes in storage, hence nothing is written.
  assert.deepEqual([patched.rules, owned(patched)], [null, false]);
});
