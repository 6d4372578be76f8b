// Conversion webhooks on every path of a custom resource, through the server's handler.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { encodeJsonBytes, isObject, type Json, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import { type Handler, isStream } from "../apimachinery/handler.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import { createControlPlane } from "./control-plane.ts";

const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const at = (version: string, name = ""): string =>
  `/apis/x.io/${version}/namespaces/default/posts${name ? `/${name}` : ""}`;
const merge = "application/merge-patch+json";
const apply = "application/apply-patch+yaml";

const version = (name: string, storage: boolean, tags: JsonObject): JsonObject => ({
  name,
  served: true,
  storage,
  schema: {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: { type: "object", properties: { tags, size: { type: "integer" } } },
        status: { type: "object", properties: { seen: { type: "integer" } } },
      },
    },
  },
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.seen" },
  },
  selectableFields: name === "v1beta1" ? [{ jsonPath: ".spec.tags" }] : [],
});

const definition = (storage = "v1", reviews = ["v1"]): JsonObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "posts.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "posts", kind: "Post" },
    versions: [
      version("v1", storage === "v1", { type: "array", items: { type: "string" } }),
      version("v1beta1", storage === "v1beta1", { type: "string" }),
    ],
    conversion: {
      strategy: "Webhook",
      webhook: {
        clientConfig: { service: { namespace: "default", name: "turner", path: "/turn" } },
        conversionReviewVersions: reviews,
      },
    },
  },
});

/** What the webhook does to an object that it has turned; or another answer. */
interface Turner {
  mangle: (object: JsonObject) => void;
  answer: ((request: JsonObject) => JsonObject) | undefined;
  readonly reviews: JsonObject[];
}

function turn(object: JsonObject, apiVersion: string): JsonObject {
  const turned = structuredClone(object);
  turned.apiVersion = apiVersion;
  const { spec } = turned;
  if (!isObject(spec)) return turned;
  if (apiVersion.endsWith("/v1") && typeof spec.tags === "string") spec.tags = spec.tags.split(",");
  if (apiVersion.endsWith("beta1") && Array.isArray(spec.tags)) spec.tags = spec.tags.join(",");
  return turned;
}

function createTurner(): { readonly turner: Turner; readonly handler: Handler } {
  const turner: Turner = { mangle: () => {}, answer: undefined, reviews: [] };
  const handler: Handler = async ({ body }) => {
    const review = JSON.parse(new TextDecoder().decode(body)) as JsonObject;
    turner.reviews.push(review);
    const request = review.request as JsonObject;
    const convertedObjects = (request.objects as JsonObject[]).map((object) => {
      const turned = turn(object, String(request.desiredAPIVersion));
      turner.mangle(turned);
      return turned;
    });
    const response = turner.answer?.(request) ?? {
      uid: request.uid!,
      result: { status: "Success" },
      convertedObjects,
    };
    const answer = { kind: review.kind!, apiVersion: review.apiVersion!, response };
    return { status: 200, headers: {}, body: encodeJsonBytes(answer) };
  };
  return { turner, handler };
}

async function setUp(t: TestContext, reviews?: string[]) {
  const runtime = createVirtualRuntime();
  const { turner, handler } = createTurner();
  const plane = await createControlPlane({
    store: createMemoryStore(),
    runtime,
    tokens: new Map(),
    serviceLocations: new Map([["default/turner", handler]]),
  });
  t.after(() => plane.close());
  const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  const send = async (method: string, path: string, body?: Json, type = "application/json") =>
    await plane.handler({
      method,
      path,
      headers: { "content-type": type, "user-agent": "me/1" },
      body: body === undefined ? new Uint8Array() : encodeJsonBytes(body),
      user,
    });
  const ask = async (...request: Parameters<typeof send>): Promise<JsonObject> => {
    const { body } = await send(...request);
    assert.ok(!isStream(body));
    return JSON.parse(new TextDecoder().decode(body)) as JsonObject;
  };
  const served = async (): Promise<void> => {
    for (let i = 0; i < 100; i++) {
      await runtime.advance(10);
      if ((await ask("GET", at("v1"))).kind === "PostList") return;
    }
  };
  await ask("POST", root, definition("v1", reviews));
  await served();
  return { runtime, turner, send, ask };
}

const post = (apiVersion: string, name: string, tags: Json): JsonObject => ({
  apiVersion: `x.io/${apiVersion}`,
  kind: "Post",
  metadata: { name },
  spec: { tags },
});
const tagsOf = (object: JsonObject): Json | undefined =>
  isObject(object.spec) ? object.spec.tags : object.message;
const messageOf = (object: JsonObject): Json | undefined => object.message ?? object.kind;

for (const reviews of [["v1"], ["v1beta1", "v1"], ["v9", "v1"]])
  test(`creates, gets, lists and deletes through reviews of ${reviews.join()}`, async (t) => {
    const { ask, turner } = await setUp(t, reviews);
    assert.equal(tagsOf(await ask("POST", at("v1beta1"), post("v1beta1", "a", "x,y"))), "x,y");
    assert.deepEqual(tagsOf(await ask("GET", at("v1", "a"))), ["x", "y"]);
    await ask("POST", at("v1"), post("v1", "b", ["z"]));
    const { items } = await ask("GET", at("v1beta1"));
    assert.deepEqual((items as JsonObject[]).map(tagsOf), ["x,y", "z"]);
    const sent = turner.reviews[0]!;
    assert.equal(sent.apiVersion, `apiextensions.k8s.io/${reviews.find((one) => one !== "v9")}`);
    assert.equal((sent.request as JsonObject).desiredAPIVersion, "x.io/v1");
    assert.equal((await ask("DELETE", at("v1beta1", "b"))).status, "Success");
  });

test("updates, patches and applies keep managedFields of both versions", async (t) => {
  const { ask } = await setUp(t);
  await ask("POST", at("v1beta1"), post("v1beta1", "a", "x"));
  const applied = await ask(
    "PATCH",
    `${at("v1", "a")}?fieldManager=second&force=true`,
    { ...post("v1", "a", ["x", "y"]) },
    apply,
  );
  assert.deepEqual(tagsOf(applied), ["x", "y"]);
  const patched = await ask("PATCH", at("v1beta1", "a"), { spec: { size: 3 } }, merge);
  assert.equal(tagsOf(patched), "x,y");
  const fields = ((patched.metadata as JsonObject).managedFields as JsonObject[]).map(
    ({ manager, apiVersion }) => `${String(manager)} ${String(apiVersion)}`,
  );
  assert.deepEqual(fields, ["second x.io/v1", "me x.io/v1beta1"]);
  const conflict = await ask(
    "PATCH",
    `${at("v1beta1", "a")}?fieldManager=third`,
    post("v1beta1", "a", "q"),
    apply,
  );
  assert.match(String(conflict.message), /conflict with "second": \.spec\.tags$/);
});

test("status and scale convert their parent", async (t) => {
  const { ask } = await setUp(t);
  await ask("POST", at("v1"), post("v1", "a", ["x"]));
  await ask("PATCH", `${at("v1beta1", "a")}/status`, { status: { seen: 2 } }, merge);
  await ask("PATCH", `${at("v1beta1", "a")}/scale`, { spec: { replicas: 5 } }, merge);
  const scale = await ask("GET", `${at("v1beta1", "a")}/scale`);
  assert.deepEqual([scale.spec, scale.status], [{ replicas: 5 }, { replicas: 2 }]);
  const { spec, status } = await ask("GET", at("v1", "a"));
  assert.deepEqual([spec, status], [{ size: 5, tags: ["x"] }, { seen: 2 }]);
});

test("selectors see what a version shows", async (t) => {
  const { ask, turner } = await setUp(t);
  turner.mangle = (object) => {
    (object.metadata as JsonObject).labels = { shown: String(object.apiVersion).slice(5) };
  };
  await ask("POST", at("v1"), post("v1", "a", ["x"]));
  const count = async (path: string): Promise<number> =>
    ((await ask("GET", path)).items as Json[]).length;
  assert.equal(await count(`${at("v1beta1")}?labelSelector=shown%3Dv1beta1`), 1);
  assert.equal(await count(`${at("v1")}?labelSelector=shown%3Dv1beta1`), 0);
  assert.equal(await count(`${at("v1beta1")}?fieldSelector=spec.tags%3Dx`), 1);
});

test("a watch shows every change in its version, in order", async (t) => {
  const { ask, send, runtime } = await setUp(t);
  await ask("POST", at("v1"), post("v1", "a", ["x"]));
  const { body } = await send("GET", `${at("v1beta1")}?watch=1`);
  assert.ok(isStream(body));
  const seen: Json[] = [];
  const stream = body.open({
    data(chunk) {
      for (const line of new TextDecoder().decode(chunk).split("\n").filter(Boolean)) {
        const { type, object } = JSON.parse(line) as { type: string; object: JsonObject };
        seen.push([type, object.apiVersion!, tagsOf(object)!]);
      }
      return true;
    },
    end() {},
  });
  await ask("PATCH", at("v1", "a"), { spec: { tags: ["y", "z"] } }, merge);
  await ask("DELETE", at("v1", "a"));
  await runtime.advance(10);
  assert.deepEqual(seen, [
    ["ADDED", "x.io/v1beta1", "x"],
    ["MODIFIED", "x.io/v1beta1", "y,z"],
    ["DELETED", "x.io/v1beta1", "y,z"],
  ]);
  stream.close();
});

const answering =
  (more: JsonObject) =>
  (request: JsonObject): JsonObject => ({
    uid: request.uid!,
    result: { status: "Success" },
    convertedObjects: [],
    ...more,
  });
const failed = "conversion webhook for x.io/v1, Kind=Post ";

for (const [name, change, message] of [
  [
    "a failure",
    { answer: answering({ result: { status: "Failure", message: "no" } }) },
    "failed: no",
  ],
  [
    "no status",
    { answer: answering({ result: {} }) },
    "failed: response.result.status was '', not 'Success'",
  ],
  ["no objects", { answer: answering({}) }, "returned 0 objects, expected 1"],
  [
    "another uid",
    { answer: answering({ uid: "x" }) },
    /failed: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
  ],
  [
    "a response of another type",
    { answer: () => "x" as never },
    "failed: json: cannot unmarshal string into Go struct field ConversionReview.response of type v1.ConversionResponse",
  ],
  [
    "another kind",
    { mangle: (o: JsonObject) => (o.kind = "Other") },
    "returned invalid object at index 0: invalid kind (expected Post, received Other)",
  ],
  [
    "another name",
    { mangle: (o: JsonObject) => ((o.metadata as JsonObject).name = "b") },
    "returned invalid object: must have the same name: a != b",
  ],
  [
    "another namespace",
    { mangle: (o: JsonObject) => ((o.metadata as JsonObject).namespace = "b") },
    "returned invalid object: must have the same namespace: default != b",
  ],
  [
    "no metadata",
    { mangle: (o: JsonObject) => delete o.metadata },
    "returned invalid object: must have the same name: a != ",
  ],
  [
    "labels of another type",
    { mangle: (o: JsonObject) => ((o.metadata as JsonObject).labels = { a: 1 }) },
    "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
  ],
  [
    "invalid annotations",
    { mangle: (o: JsonObject) => ((o.metadata as JsonObject).annotations = { "a b": "" }) },
    /returned invalid metadata: metadata\.annotation: Invalid value: "a b": name part must consist/,
  ],
] as const)
  test(`an answer with ${name} is refused`, async (t) => {
    const { ask, turner } = await setUp(t);
    await ask("POST", at("v1"), post("v1", "a", ["x"]));
    Object.assign(turner, change);
    const { code, reason, message: text } = await ask("GET", at("v1beta1", "a"));
    assert.deepEqual([code, reason], [500, undefined]);
    if (typeof message === "string") assert.equal(text, failed + message);
    else assert.match(String(text), message);
  });

test("other metadata than labels and annotations is put back", async (t) => {
  const { ask, turner } = await setUp(t);
  await ask("POST", at("v1"), {
    ...post("v1", "a", ["x"]),
    metadata: { name: "a", finalizers: ["x.io/f"] },
  });
  turner.mangle = ({ metadata }) => {
    delete (metadata as JsonObject).finalizers;
    (metadata as JsonObject).generation = 9;
  };
  const { metadata } = await ask("GET", at("v1beta1", "a"));
  assert.deepEqual((metadata as JsonObject).finalizers, ["x.io/f"]);
  assert.equal((metadata as JsonObject).generation, 1);
});

test("while the webhook fails, what was converted before is listed, and nothing new is", async (t) => {
  const { ask, turner, runtime } = await setUp(t);
  await ask("POST", at("v1"), post("v1", "a", ["x"]));
  await ask("GET", at("v1beta1"));
  turner.answer = answering({ result: { status: "Failure", message: "no" } });
  assert.equal(((await ask("GET", at("v1beta1"))).items as Json[]).length, 1);
  assert.equal(messageOf(await ask("GET", `${at("v1beta1", "a")}?resourceVersion=0`)), "Post");
  assert.equal(messageOf(await ask("GET", at("v1beta1", "a"))), `${failed}failed: no`);
  const beta = "conversion webhook for x.io/v1beta1, Kind=Post failed: no";
  const patch = { spec: { size: 1 } };
  assert.equal(messageOf(await ask("PATCH", at("v1beta1", "a"), patch, merge)), beta);
  const invalid = await ask("PATCH", at("v1beta1", "a"), { spec: { tags: 5 } }, merge);
  assert.equal(messageOf(invalid), `${failed}failed: no`);
  assert.equal(messageOf(await ask("POST", at("v1beta1"), post("v1beta1", "c", "x"))), beta);
  assert.equal(messageOf(await ask("DELETE", at("v1beta1", "a"))), `${failed}failed: no`);
  await ask("POST", at("v1"), post("v1", "b", ["x"]));
  const list = await ask("GET", at("v1beta1"));
  assert.deepEqual([list.code, list.message], [429, "storage is (re)initializing"]);
  const elsewhere = await ask("GET", "/apis/x.io/v1beta1/namespaces/other/posts");
  assert.equal(elsewhere.code, 429);
  await runtime.advance(1000);
  assert.equal(
    messageOf(await ask("GET", at("v1beta1"))),
    `storage is (re)initializing: failed to list x.io/v1beta1, Kind=Post: ${failed}failed: no`,
  );
  assert.equal((await ask("GET", `${at("v1beta1")}?watch=1`)).code, 429);
  assert.equal(messageOf(await ask("GET", `${at("v1beta1")}?limit=5`)), `${failed}failed: no`);
  turner.answer = undefined;
  assert.equal(((await ask("GET", at("v1beta1"))).items as Json[]).length, 2);
});

test("a read of one object converts anew, a list shows what was converted before", async (t) => {
  const { ask, turner } = await setUp(t);
  let turned = 0;
  turner.mangle = ({ metadata }) => {
    (metadata as JsonObject).labels = { turned: String(++turned) };
  };
  const label = ({ metadata }: JsonObject): number =>
    Number(((metadata as JsonObject).labels as JsonObject).turned);
  const created = label(await ask("POST", at("v1beta1"), post("v1beta1", "a", "x")));
  const listed = async (): Promise<number> =>
    label(((await ask("GET", at("v1beta1"))).items as JsonObject[])[0]!);
  const first = await listed();
  assert.notEqual(first, created);
  assert.equal(await listed(), first);
  assert.ok(label(await ask("GET", at("v1beta1", "a"))) > created);
  assert.equal(label(await ask("GET", `${at("v1beta1", "a")}?resourceVersion=0`)), first);
});

test("a dry run is converted there and back", async (t) => {
  const { ask, turner } = await setUp(t);
  const before = turner.reviews.length;
  const dry = await ask("POST", `${at("v1beta1")}?dryRun=All`, post("v1beta1", "a", "x"));
  assert.equal(tagsOf(dry), "x");
  const wanted = turner.reviews
    .slice(before)
    .map(({ request }) => (request as JsonObject).desiredAPIVersion);
  assert.deepEqual(wanted, ["x.io/v1", "x.io/v1beta1"]);
});

test("after a change of the storage version old objects are converted, and rewritten by a write", async (t) => {
  const { ask, runtime } = await setUp(t);
  await ask("POST", at("v1"), post("v1", "a", ["x"]));
  const { metadata } = await ask("GET", `${root}/posts.x.io`);
  const { resourceVersion } = metadata as JsonObject;
  const next = definition("v1beta1");
  await ask("PUT", `${root}/posts.x.io`, {
    ...next,
    metadata: { name: "posts.x.io", resourceVersion: resourceVersion! },
  });
  await runtime.advance(100);
  const changed = await ask("GET", `${root}/posts.x.io`);
  assert.deepEqual((changed.status as JsonObject).storedVersions, ["v1", "v1beta1"]);
  const before = await ask("GET", at("v1", "a"));
  assert.deepEqual(tagsOf(before), ["x"]);
  const rewritten = await ask("PUT", at("v1", "a"), before);
  const revision = ({ metadata: one }: JsonObject): Json | undefined =>
    (one as JsonObject).resourceVersion;
  assert.notEqual(revision(rewritten), revision(before));
  const again = await ask("PUT", at("v1", "a"), rewritten);
  assert.equal(revision(again), revision(rewritten));
});
