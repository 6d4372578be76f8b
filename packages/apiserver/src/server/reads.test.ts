import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { createTestServer, type TestServer, widget, widgetsPath } from "./testdata/test-server.ts";

const meta = (object: JsonObject): JsonObject => object.metadata as JsonObject;
const names = (list: JsonObject): unknown =>
  (list.items as JsonObject[]).map((item) => meta(item).name);

async function serverWith(...all: readonly string[]): Promise<TestServer> {
  const server = await createTestServer();
  for (const name of all)
    await server.ask(
      "POST",
      widgetsPath,
      widget(name, { color: name < "c" ? "red" : "blue" }, { labels: { name } }),
    );
  return server;
}

test("a get hands out the stored bytes as they are, and ends the line", async () => {
  const { core, store } = await serverWith("a");
  const stored = store.latest("example.com/widgets/home/a")!.bytes;
  const { body } = await core.handler({
    method: "GET",
    path: `${widgetsPath}/a`,
    headers: {},
    body: new Uint8Array(),
    user: { name: "u", groups: ["system:masters"] },
  });
  assert.equal(Buffer.from(body as Uint8Array).toString(), `${Buffer.from(stored).toString()}\n`);
});

test("built-in list items carry neither kind nor apiVersion", async () => {
  const { ask } = await serverWith("a", "b");
  const { body } = await ask("GET", widgetsPath);
  assert.deepEqual(
    [body.kind, body.apiVersion, Object.keys((body.items as JsonObject[])[0]!).sort()],
    ["WidgetList", "example.com/v1", ["metadata", "spec"]],
  );
  assert.deepEqual(
    (await ask("GET", "/apis/example.com/v1/namespaces/nowhere/widgets")).body.items,
    [],
  );
});

test("pages stay on the revision of the first, despite writes in between", async () => {
  const { ask } = await serverWith("a", "b", "c", "d", "e");
  const first = (await ask("GET", `${widgetsPath}?limit=2`)).body;
  assert.deepEqual([names(first), meta(first).remainingItemCount], [["a", "b"], 3]);
  await ask("DELETE", `${widgetsPath}/c`);
  await ask("POST", widgetsPath, widget("bb"));
  const second = (
    await ask("GET", `${widgetsPath}?limit=2&continue=${String(meta(first).continue)}`)
  ).body;
  assert.deepEqual(
    [names(second), meta(second).resourceVersion],
    [["c", "d"], meta(first).resourceVersion],
  );
  const last = (
    await ask("GET", `${widgetsPath}?limit=2&continue=${String(meta(second).continue)}`)
  ).body;
  assert.deepEqual([names(last), meta(last).continue], [["e"], undefined]);
});

test("a token older than history is expired, and the answer holds one that goes on at the newest state", async () => {
  const { ask, store } = await serverWith("a", "b", "c");
  const first = (await ask("GET", `${widgetsPath}?limit=1`)).body;
  await ask("DELETE", `${widgetsPath}/b`);
  store.compact(store.revision());
  const expired = await ask(
    "GET",
    `${widgetsPath}?limit=1&continue=${String(meta(first).continue)}`,
  );
  assert.deepEqual([expired.status, expired.body.reason], [410, "Expired"]);
  assert.deepEqual(
    names(
      (await ask("GET", `${widgetsPath}?continue=${String(meta(expired.body).continue)}`)).body,
    ),
    ["c"],
  );
});

test("the wait for a forged continue token of a future revision has the usual limit", async () => {
  const { ask, runtime } = await serverWith("a");
  const token = Buffer.from('{"v":"meta.k8s.io/v1","rv":99999999,"start":"/a"}').toString(
    "base64url",
  );
  const asked = ask("GET", `${widgetsPath}?limit=1&continue=${token}`);
  await runtime.advance(5_000);
  assert.deepEqual([(await asked).status, (await asked).body.reason], [504, "Timeout"]);
});

test("a namespace that could be no part of a key is refused by name", async () => {
  const { ask } = await serverWith("a");
  const { status, body } = await ask(
    "GET",
    widgetsPath.replace(/namespaces\/[^/]+/, "namespaces/%2e%2e"),
  );
  assert.deepEqual([status, body.message], [500, 'invalid key: "/widgets/.."']);
});

test("resourceVersion on lists: newest, not older, exact", async () => {
  const { ask, store } = await serverWith("a");
  const old = store.revision();
  await ask("POST", widgetsPath, widget("b"));
  const at = async (query: string): Promise<unknown> =>
    names((await ask("GET", `${widgetsPath}?${query}`)).body);
  assert.deepEqual(await at("resourceVersion=0&limit=1"), ["a", "b"]);
  assert.deepEqual(await at(`resourceVersion=${old}`), ["a", "b"]);
  assert.deepEqual(await at(`resourceVersion=${old}&limit=5`), ["a"]);
  assert.deepEqual(await at(`resourceVersion=${old}&resourceVersionMatch=Exact`), ["a"]);
});

test("a revision ahead is waited for, but not for ever", async () => {
  const { ask, store, runtime } = await serverWith("a");
  const soon = ask("GET", `${widgetsPath}?resourceVersion=${store.revision() + 1}`);
  await runtime.advance(1000);
  await ask("POST", widgetsPath, widget("b"));
  assert.deepEqual(names((await soon).body), ["a", "b"]);
  const never = ask("GET", `${widgetsPath}/a?resourceVersion=999`);
  await runtime.advance(3000);
  const { status, body, headers } = await never;
  assert.deepEqual(
    [status, body.reason, (body.details as JsonObject).retryAfterSeconds, headers["retry-after"]],
    [504, "Timeout", 1, "1"],
  );
});

test("selectors choose without parsing, and unknown fields are refused", async () => {
  const { ask } = await serverWith("a", "b", "c");
  assert.deepEqual(
    names((await ask("GET", `${widgetsPath}?fieldSelector=spec.color%3Dred`)).body),
    ["a", "b"],
  );
  assert.deepEqual(
    names(
      (await ask("GET", `${widgetsPath}?labelSelector=name!%3Da&fieldSelector=spec.color%3Dred`))
        .body,
    ),
    ["b"],
  );
  assert.deepEqual(
    names(
      (
        await ask(
          "GET",
          "/apis/example.com/v1/widgets?fieldSelector=metadata.namespace%3Dhome,metadata.name%3Dc",
        )
      ).body,
    ),
    ["c"],
  );
  assert.equal(
    (await ask("GET", `${widgetsPath}?fieldSelector=spec.size%3D1`)).body.message,
    "field label not supported: spec.size",
  );
});

test("the whole object in a Table has the order of its kind: alone, in a list, in an event", async () => {
  const { ask, watch } = await serverWith("a");
  const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
  const object = (await ask("GET", `${widgetsPath}/a`)).text.trimEnd();
  for (const path of [`${widgetsPath}/a`, widgetsPath]) {
    const { text } = await ask("GET", `${path}?includeObject=Object`, undefined, { accept });
    assert.ok(text.endsWith(`"object":${object}}]}\n`), path);
  }
  const { events, close } = await watch(`${widgetsPath}?watch=1&includeObject=Object`, { accept });
  const [row] = events[0]!.object.rows as JsonObject[];
  assert.equal(JSON.stringify(row!.object), object);
  close();
});

test("the same objects as Table, as metadata and as YAML", async () => {
  const { ask } = await serverWith("a", "b");
  const table = (
    await ask("GET", widgetsPath, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    })
  ).body;
  assert.deepEqual(
    (table.rows as JsonObject[]).map((row) => [row.cells, (row.object as JsonObject).kind]),
    [
      [["a"], "PartialObjectMetadata"],
      [["b"], "PartialObjectMetadata"],
    ],
  );
  const metadata = (
    await ask("GET", `${widgetsPath}/a`, undefined, {
      accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    })
  ).body;
  assert.deepEqual(
    [Object.keys(metadata).sort(), meta(metadata).name],
    [["apiVersion", "kind", "metadata"], "a"],
  );
  assert.match(
    (await ask("GET", `${widgetsPath}/a`, undefined, { accept: "application/yaml" })).text,
    /^apiVersion: example.com\/v1\nkind: Widget\nmetadata:\n/,
  );
  assert.match(
    (await ask("GET", `${widgetsPath}/a?pretty=true`)).text,
    /^\{\n {2}"kind": "Widget",\n/,
  );
});

test("paths and methods that do not exist", async () => {
  const { ask } = await serverWith("a");
  const table: readonly (readonly [string, string, number, string | undefined])[] = [
    ["GET", "/nope", 404, undefined],
    ["GET", "/apis/other.com/v1/widgets", 404, undefined],
    [
      "GET",
      "/apis/example.com/v1/gadgets",
      404,
      "the server could not find the requested resource",
    ],
    ["GET", `${widgetsPath}/a/logs`, 404, "the server could not find the requested resource"],
    [
      "GET",
      "/apis/example.com/v1/widgets/a",
      404,
      "the server could not find the requested resource",
    ],
    [
      "HEAD",
      `${widgetsPath}/a`,
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "POST",
      `${widgetsPath}/a`,
      405,
      "the server does not allow this method on the requested resource",
    ],
    [
      "POST",
      "/apis/example.com/v1/widgets",
      405,
      "the server does not allow this method on the requested resource",
    ],
  ];
  for (const [method, path, status, message] of table) {
    const answer = await ask(method, path);
    assert.deepEqual([answer.status, answer.body.message], [status, message], `${method} ${path}`);
  }
});
