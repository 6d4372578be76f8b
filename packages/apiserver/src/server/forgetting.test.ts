// What a server forgets as time goes by: the past, and Events.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json, JsonObject } from "homeostat/api";
import { createVirtualRuntime, type VirtualRuntime } from "homeostat/runtime";
import { isStream } from "../apimachinery/handler.ts";
import { createMemoryStore } from "../storage/memory-store.ts";
import {
  createControlPlane,
  type ControlPlane,
  type ControlPlaneOptions,
} from "./control-plane.ts";

const minuteMs = 60_000;
const maps = "/api/v1/namespaces/default/configmaps";
const events = "/api/v1/namespaces/default/events";
const headers = { "content-type": "application/json" };
const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };

interface Server extends ControlPlane {
  readonly runtime: VirtualRuntime;
  ask(
    method: string,
    path: string,
    body?: Json,
  ): Promise<{ readonly status: number; readonly object: any }>;
  /** What a watch has been told so far. */
  watch(path: string): Promise<readonly string[]>;
}

async function open(options: Partial<ControlPlaneOptions> = {}): Promise<Server> {
  const runtime = createVirtualRuntime();
  const core = await createControlPlane({
    store: createMemoryStore(),
    runtime,
    tokens: new Map(),
    ...options,
  });
  const send = (method: string, path: string, body?: Json) =>
    core.handler({
      method,
      path,
      headers,
      body: body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body)),
      user,
    });
  return {
    ...core,
    runtime,
    async ask(method, path, body) {
      const answer = await send(method, path, body);
      return {
        status: answer.status,
        object: JSON.parse(Buffer.from(answer.body as Uint8Array).toString()),
      };
    },
    async watch(path) {
      const { body } = await send("GET", path);
      const told: string[] = [];
      assert.ok(isStream(body));
      body.open({
        data(chunk) {
          const { type, object } = JSON.parse(Buffer.from(chunk).toString()) as {
            readonly type: string;
            readonly object: any;
          };
          told.push(`${type} ${object.metadata.name ?? object.message}`);
          return true;
        },
        end() {},
      });
      return told;
    },
  };
}

const map = (name: string): JsonObject => ({ metadata: { name } });
const event = (name: string, count = 1): JsonObject => ({
  metadata: { name },
  involvedObject: { kind: "Pod", namespace: "default", name: "web" },
  reason: "Tested",
  type: "Normal",
  source: { component: "test" },
  count,
});

test("a continue token is valid for five minutes; then the next page can be read at the newest revision", async () => {
  const server = await open();
  for (const name of ["a", "b", "c"]) await server.ask("POST", maps, map(name));
  const first = await server.ask("GET", `${maps}?limit=1`);
  const { continue: token, resourceVersion } = first.object.metadata;
  await server.runtime.advance(4 * minuteMs);
  await server.ask("DELETE", `${maps}/b`);
  await server.ask("POST", maps, map("bb"));
  const follow = (more: string) => server.ask("GET", `${maps}?limit=5&continue=${more}`);
  const names = (page: { readonly object: any }): readonly string[] =>
    page.object.items.map((item: any) => item.metadata.name);
  await server.runtime.advance(5 * minuteMs);
  assert.deepEqual(names(await follow(token)), ["b", "c"], "as it was");
  await server.runtime.advance(minuteMs);
  const { status, object } = await follow(token);
  assert.deepEqual([status, object.reason], [410, "Expired"]);
  assert.match(
    object.message,
    /^The provided continue parameter is too old to display a consistent list result\./,
  );
  assert.deepEqual(names(await follow(object.metadata.continue)), ["bb", "c"], "as it is");
  const exact = await server.ask(
    "GET",
    `${maps}?resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`,
  );
  assert.deepEqual(
    [exact.status, exact.object.message],
    [410, "The resourceVersion for the provided list is too old."],
  );
  assert.deepEqual(
    await server.watch(`${maps}?watch=1&resourceVersion=${resourceVersion}`),
    ["DELETED b", "ADDED bb"],
    "a watch goes on all the same, while little has happened",
  );
  await server.close();
});

test("a watch from an old revision on a busy server is too old", async () => {
  const server = await open();
  const { object } = await server.ask("POST", maps, map("a"));
  for (let i = 0; i < 1200; i++)
    await server.ask("PUT", `${maps}/a`, { metadata: { name: "a" }, data: { i: String(i) } });
  const path = `${maps}?watch=1&resourceVersion=${object.metadata.resourceVersion}`;
  assert.equal((await server.watch(path)).length, 1200);
  await server.runtime.advance(10 * minuteMs);
  assert.match((await server.watch(path))[0]!, /^ERROR too old resource version: \d+ \(\d+\)$/);
  await server.close();
});

test("without an interval nothing is compacted by time, and no timer is pending", async () => {
  const server = await open({ compactionIntervalMs: 0, eventTtlMs: 0 });
  await server.ask("POST", maps, map("a"));
  const list = await server.ask("GET", maps);
  await server.ask("POST", events, event("e"));
  await server.runtime.advance(24 * 60 * minuteMs);
  assert.equal(
    (
      await server.ask(
        "GET",
        `${maps}?resourceVersionMatch=Exact&resourceVersion=${list.object.metadata.resourceVersion}`,
      )
    ).status,
    200,
  );
  assert.equal((await server.ask("GET", `${events}/e`)).status, 200);
  assert.equal(server.runtime.nextTimerMs(), undefined);
  await server.close();
});

test("Events expire an hour after their last write, and watches report it", async () => {
  const server = await open({ compactionIntervalMs: 0 });
  const told = await server.watch(`${events}?watch=1&timeoutSeconds=36000`);
  await server.ask("POST", events, event("once"));
  await server.ask("POST", events, event("again"));
  await server.runtime.advance(30 * minuteMs);
  await server.ask("PUT", `${events}/again`, event("again", 2));
  await server.ask("POST", events, event("later"));
  await server.runtime.advance(30 * minuteMs);
  assert.deepEqual(told.slice(-1), ["DELETED once"]);
  assert.deepEqual(
    [
      (await server.ask("GET", `${events}/once`)).status,
      (await server.ask("GET", `${events}/again`)).status,
    ],
    [404, 200],
  );
  await server.ask("DELETE", `${events}/later`);
  await server.runtime.advance(30 * minuteMs);
  assert.deepEqual(told, [
    "ADDED once",
    "ADDED again",
    "MODIFIED again",
    "ADDED later",
    "DELETED once",
    "DELETED later",
    "DELETED again",
  ]);
  await server.close();
  assert.equal(server.runtime.nextTimerMs(), undefined);
});

test("Events of before a restart expire too", async () => {
  const store = createMemoryStore();
  const before = await open({ store });
  await before.ask("POST", events, event("old"));
  await before.close();
  const after = await open({ store });
  await after.runtime.advance(59 * minuteMs);
  assert.equal((await after.ask("GET", `${events}/old`)).status, 200);
  await after.runtime.advance(minuteMs);
  assert.equal((await after.ask("GET", `${events}/old`)).status, 404);
  await after.close();
  assert.equal(after.runtime.nextTimerMs(), undefined);
});
