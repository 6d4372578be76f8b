import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import {
  createTestServer,
  type OpenedWatch,
  type TestServer,
  widget,
  widgetsPath,
} from "./testdata/test-server.ts";

const merge = { "content-type": "application/merge-patch+json" };
const meta = (object: JsonObject): JsonObject => object.metadata as JsonObject;
const seen = (watch: OpenedWatch): unknown =>
  watch.events.map(({ type, object }) => `${type} ${String(meta(object).name ?? "")}`.trim());
const label = (server: TestServer, name: string, value: string | null): Promise<unknown> =>
  server.ask("PATCH", `${widgetsPath}/${name}`, { metadata: { labels: { on: value } } }, merge);

test("without a revision a watch begins with the current objects", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("b"));
  await server.ask("POST", widgetsPath, widget("a"));
  const watch = await server.watch(`${widgetsPath}?watch=1`);
  await server.ask("POST", widgetsPath, widget("c"));
  assert.deepEqual(seen(watch), ["ADDED a", "ADDED b", "ADDED c"]);
});

test("from a revision a watch sends only later events, history included", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("a"));
  const revision = server.store.revision();
  await server.ask("POST", widgetsPath, widget("b"));
  const watch = await server.watch(`${widgetsPath}?watch=1&resourceVersion=${revision}`);
  await server.ask("DELETE", `${widgetsPath}/a`);
  assert.deepEqual(seen(watch), ["ADDED b", "DELETED a"]);
  assert.equal(meta(watch.events[1]!.object).resourceVersion, String(server.store.revision()));
});

test("objects come into a selection and leave it, as they were before they left", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("a"));
  const watch = await server.watch(`${widgetsPath}?watch=1&labelSelector=on`);
  await label(server, "a", "1");
  await label(server, "a", "2");
  await label(server, "a", null);
  assert.deepEqual(seen(watch), ["ADDED a", "MODIFIED a", "DELETED a"]);
  const left = watch.events[2]!.object;
  assert.deepEqual(
    [meta(left).labels, meta(left).resourceVersion],
    [{ on: "2" }, String(server.store.revision())],
  );
});

test("watchers of one view are handed the same bytes", async () => {
  const server = await createTestServer();
  const chunks: Uint8Array[] = [];
  for (let i = 0; i < 3; i++) {
    const { body } = await server.core.handler({
      method: "GET",
      path: `${widgetsPath}?watch=1`,
      headers: {},
      body: new Uint8Array(),
      user: { name: "u", groups: ["system:masters"] },
    });
    if ("open" in body) body.open({ data: (chunk) => chunks.push(chunk) > 0, end() {} });
  }
  await server.ask("POST", widgetsPath, widget("a"));
  assert.equal(chunks.length, 3);
  assert.ok(chunks.every((chunk) => chunk === chunks[0]));
});

test("a bookmark ends the initial events, and others follow once a minute and before the end", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("a"));
  const watch = await server.watch(
    `${widgetsPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=70`,
  );
  assert.deepEqual(seen(watch), ["ADDED a", "BOOKMARK"]);
  assert.deepEqual(meta(watch.events[1]!.object).annotations, {
    "k8s.io/initial-events-end": "true",
  });
  await server.runtime.advance(60_000);
  await server.runtime.advance(8_000);
  assert.deepEqual(seen(watch), ["ADDED a", "BOOKMARK", "BOOKMARK", "BOOKMARK"]);
  assert.equal(watch.ended(), false);
  await server.runtime.advance(2_000);
  assert.equal(watch.ended(), true);
  assert.equal(server.runtime.nextTimerMs(), undefined);
});

test("the timeout of a watch that waits for its first state begins when it has it", async () => {
  const server = await createTestServer();
  const watch = await server.watch(
    `${widgetsPath}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999&allowWatchBookmarks=true&timeoutSeconds=1`,
  );
  await server.runtime.advance(2_000);
  assert.equal(watch.ended(), false);
  await server.runtime.advance(1_000);
  assert.deepEqual(
    watch.events.map(({ type, object }) => [type, object.reason]),
    [["ERROR", "Timeout"]],
  );
  assert.equal(watch.ended(), true);
});

test("a revision that history has lost is an error event, and the end", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("a"));
  await server.ask("POST", widgetsPath, widget("b"));
  server.store.compact(server.store.revision());
  const watch = await server.watch(`${widgetsPath}?watch=1&resourceVersion=1`);
  assert.deepEqual(
    watch.events.map(({ type, object }) => [type, object.code, object.reason]),
    [["ERROR", 410, "Expired"]],
  );
  assert.equal(watch.ended(), true);
});

test("a watch from a revision ahead is silent until it has been passed", async () => {
  const server = await createTestServer();
  const watch = await server.watch(
    `${widgetsPath}?watch=1&resourceVersion=${server.store.revision() + 1}`,
  );
  await server.ask("POST", widgetsPath, widget("a"));
  assert.deepEqual(seen(watch), []);
  await server.ask("POST", widgetsPath, widget("b"));
  assert.deepEqual(seen(watch), ["ADDED b"]);
});

test("a busy receiver is not pushed at, and gets everything in order afterwards", async () => {
  const server = await createTestServer();
  const watch = await server.watch(`${widgetsPath}?watch=1`);
  watch.accept = false;
  for (const name of ["a", "b", "c"]) await server.ask("POST", widgetsPath, widget(name));
  assert.deepEqual(seen(watch), ["ADDED a"]);
  watch.accept = true;
  watch.resume();
  assert.deepEqual(seen(watch), ["ADDED a", "ADDED b", "ADDED c"]);
});

test("the last finalizer's end is one DELETED event with the state before", async () => {
  const server = await createTestServer();
  await server.ask("POST", widgetsPath, widget("a", {}, { finalizers: ["e.org/f"] }));
  const watch = await server.watch(
    `${widgetsPath}?watch=1&resourceVersion=${server.store.revision()}`,
  );
  await server.ask("DELETE", `${widgetsPath}/a`);
  await server.ask(
    "PATCH",
    `${widgetsPath}/a`,
    { metadata: { finalizers: null, labels: { last: "1" } } },
    merge,
  );
  assert.deepEqual(seen(watch), ["MODIFIED a", "DELETED a"]);
  assert.deepEqual(
    [meta(watch.events[1]!.object).finalizers, meta(watch.events[1]!.object).labels],
    [["e.org/f"], undefined],
  );
});

test("closing the core ends every watch, and a closed one hears nothing", async () => {
  const server = await createTestServer();
  const [open, gone] = [
    await server.watch(`${widgetsPath}?watch=1`),
    await server.watch(`${widgetsPath}?watch=1`),
  ];
  gone.close();
  await server.ask("POST", widgetsPath, widget("a"));
  await server.core.close();
  assert.deepEqual(
    [seen(open), open.ended(), seen(gone), gone.ended()],
    [["ADDED a"], true, [], false],
  );
  assert.equal(server.runtime.nextTimerMs(), undefined);
});
