// Conversion webhooks on every path of a custom resource, through the server's handler.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import { isStream } from "../apimachinery/handler.ts";
import {
  apply,
  at,
  createConversionServer,
  definition,
  merge,
  messageOf,
  post,
  root,
  tagsOf,
} from "./testdata/conversion-server.ts";

for (const reviews of [["v1"], ["v1beta1", "v1"], ["v9", "v1"]])
  test(`creates, gets, lists and deletes through reviews of ${reviews.join()}`, async (t) => {
    const { create, ask, turner } = await createConversionServer(t, reviews);
    assert.equal(tagsOf(await create("v1beta1", "a", "x,y")), "x,y");
    assert.deepEqual(tagsOf(await ask("GET", at("v1", "a"))), ["x", "y"]);
    await create("v1", "b", ["z"]);
    const { items } = await ask("GET", at("v1beta1"));
    assert.deepEqual((items as JsonObject[]).map(tagsOf), ["x,y", "z"]);
    const sent = turner.reviews[0]!;
    assert.equal(sent.apiVersion, `apiextensions.k8s.io/${reviews.find((one) => one !== "v9")}`);
    assert.equal((sent.request as JsonObject).desiredAPIVersion, "x.io/v1");
    assert.equal((await ask("DELETE", at("v1beta1", "b"))).status, "Success");
  });

test("updates, patches and applies keep managedFields of both versions", async (t) => {
  const { create, ask } = await createConversionServer(t);
  await create("v1beta1", "a", "x");
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

test("a body without a kind is of the endpoint's kind to the lenient decoder, and of none otherwise", async (t) => {
  const { ask } = await createConversionServer(t);
  const { kind: _, ...body } = post("v1", "a", ["x"]);
  const refusal = async (query: string): Promise<string> =>
    String((await ask("POST", `${at("v1")}${query}`, body)).message);
  assert.match(await refusal("?fieldValidation=Strict"), /^the object provided is unrecognized/);
  assert.match(
    await refusal("?fieldValidation=Ignore"),
    /^Post in version "v1" cannot be handled as a Post: Object 'Kind' is missing in '/,
  );
});

test("status and scale convert their parent", async (t) => {
  const { create, ask } = await createConversionServer(t);
  await create("v1", "a", ["x"]);
  await ask("PATCH", `${at("v1beta1", "a")}/status`, { status: { seen: 2 } }, merge);
  await ask("PATCH", `${at("v1beta1", "a")}/scale`, { spec: { replicas: 5 } }, merge);
  const scale = await ask("GET", `${at("v1beta1", "a")}/scale`);
  assert.deepEqual([scale.spec, scale.status], [{ replicas: 5 }, { replicas: 2 }]);
  const { spec, status } = await ask("GET", at("v1", "a"));
  assert.deepEqual([spec, status], [{ size: 5, tags: ["x"] }, { seen: 2 }]);
  const body = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "q" } };
  const misnamed = await ask("PUT", `${at("v1", "none")}/scale`, body);
  assert.match(String(misnamed.message), /\(q\) does not match the name on the URL \(none\)$/);
});

test("selectors see what a version shows", async (t) => {
  const { create, ask, turner } = await createConversionServer(t);
  turner.mangle = (object) => {
    (object.metadata as JsonObject).labels = { shown: String(object.apiVersion).slice(5) };
  };
  await create("v1", "a", ["x"]);
  const count = async (path: string): Promise<number> =>
    ((await ask("GET", path)).items as Json[]).length;
  assert.equal(await count(`${at("v1beta1")}?labelSelector=shown%3Dv1beta1`), 1);
  assert.equal(await count(`${at("v1")}?labelSelector=shown%3Dv1beta1`), 0);
  assert.equal(await count(`${at("v1beta1")}?fieldSelector=spec.tags%3Dx`), 1);
});

test("a watch shows every change in its version, in order", async (t) => {
  const { create, ask, send, runtime } = await createConversionServer(t);
  await create("v1", "a", ["x"]);
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
    "a result of another type",
    { answer: answering({ result: 5 }) },
    "failed: json: cannot unmarshal number into Go struct field ConversionResponse.response.result of type v1.Status",
  ],
  [
    "nothing for an object",
    { answer: answering({ convertedObjects: [null] }) },
    /^unexpected end of JSON input$/,
  ],
  [
    "a number for an object",
    { answer: answering({ convertedObjects: [5] }) },
    /^json: cannot unmarshal number into Go value of type map\[string\]interface \{\}$/,
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
    const { create, ask, turner } = await createConversionServer(t);
    await create("v1", "a", ["x"]);
    Object.assign(turner, change);
    const { code, reason, message: text } = await ask("GET", at("v1beta1", "a"));
    assert.deepEqual([code, reason], [500, undefined]);
    if (typeof message === "string") assert.equal(text, failed + message);
    else assert.match(String(text), message);
  });

test("other metadata than labels and annotations is put back", async (t) => {
  const { ask, turner } = await createConversionServer(t);
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
  const [object] = (turner.reviews.at(-1)!.request as JsonObject).objects as JsonObject[];
  assert.equal(Object.hasOwn(object!.metadata as JsonObject, "resourceVersion"), false);
  assert.equal(typeof (metadata as JsonObject).resourceVersion, "string");
});

test("while the webhook fails, what was converted before is listed, and nothing new is", async (t) => {
  const { create, ask, turner, runtime } = await createConversionServer(t);
  await create("v1", "a", ["x"]);
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
  assert.equal(messageOf(await create("v1beta1", "c", "x")), beta);
  assert.equal(messageOf(await ask("DELETE", at("v1beta1", "a"))), `${failed}failed: no`);
  await create("v1", "b", ["x"]);
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
  const { create, ask, turner } = await createConversionServer(t);
  let turned = 0;
  turner.mangle = ({ metadata }) => {
    (metadata as JsonObject).labels = { turned: String(++turned) };
  };
  const label = ({ metadata }: JsonObject): number =>
    Number(((metadata as JsonObject).labels as JsonObject).turned);
  const created = label(await create("v1beta1", "a", "x"));
  const listed = async (): Promise<number> =>
    label(((await ask("GET", at("v1beta1"))).items as JsonObject[])[0]!);
  const first = await listed();
  assert.notEqual(first, created);
  assert.equal(await listed(), first);
  assert.ok(label(await ask("GET", at("v1beta1", "a"))) > created);
  assert.equal(label(await ask("GET", `${at("v1beta1", "a")}?resourceVersion=0`)), first);
});

test("a dry run is converted there and back", async (t) => {
  const { ask, turner } = await createConversionServer(t);
  const before = turner.reviews.length;
  const dry = await ask("POST", `${at("v1beta1")}?dryRun=All`, post("v1beta1", "a", "x"));
  assert.equal(tagsOf(dry), "x");
  const wanted = turner.reviews
    .slice(before)
    .map(({ request }) => (request as JsonObject).desiredAPIVersion);
  assert.deepEqual(wanted, ["x.io/v1", "x.io/v1beta1"]);
});

test("after a change of the storage version old objects are converted, and rewritten by a write", async (t) => {
  const { create, ask, runtime } = await createConversionServer(t);
  await create("v1", "a", ["x"]);
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
