// What a comparison and a check of the revision ask the server for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "../client/create-client.ts";
import { createScriptedTransport } from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { askRevision } from "./ask-revision.ts";
import { compareWithServer, describeComparison } from "./compare-with-server.ts";
import { Meal, meal } from "./informer-play.suite.ts";

const scope = { namespace: "home", labelSelector: "app=web" };

function arrange() {
  const runtime = createVirtualRuntime();
  const transport = createScriptedTransport();
  return { runtime, transport, client: createClient({ transport, runtime }) };
}

test("a comparison reads the cache's selection, and knows objects without a namespace", async () => {
  const { client, transport, runtime } = arrange();
  const entries = [{ key: "soup", resourceVersion: "3" }];
  const comparing = compareWithServer(client, { kind: Meal, scope, resourceVersion: "5", entries });
  await runtime.advance(0);
  assert.match(transport.last.url.pathname, /namespaces\/home\/meals$/);
  assert.equal(transport.last.query["labelSelector"], "app=web");
  const item = meal("soup", "3", { namespace: undefined });
  transport.last.answer(200, { metadata: { resourceVersion: "5" }, items: [item] });
  const comparison = await comparing;
  assert.deepEqual([comparison.compared, describeComparison(comparison)], [1, undefined]);
});

test("a comparison without a revision asks for nothing", async () => {
  const { client, transport } = arrange();
  const snapshot = { kind: Meal, scope, resourceVersion: undefined, entries: [] };
  const { conclusive, compared } = await compareWithServer(client, snapshot);
  assert.deepEqual([conclusive, compared, transport.exchanges.length], [false, 0, 0]);
});

test("the revision of a selection costs one object; without an answer there is none", async () => {
  const { client, transport, runtime } = arrange();
  const asking = askRevision(client, Meal, scope);
  await runtime.advance(0);
  assert.match(transport.last.url.pathname, /namespaces\/home\/meals$/);
  assert.deepEqual(transport.last.query, { labelSelector: "app=web", limit: "1" });
  transport.last.answer(200, { metadata: { resourceVersion: "7" }, items: [] });
  assert.equal(await asking, "7");
  const refused = askRevision(client, Meal, scope);
  await runtime.advance(0);
  transport.last.refuse(403, "Forbidden");
  assert.equal(await refused, undefined);
});
