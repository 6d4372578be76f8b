import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { Client, ClientScope, CompletedWrite } from "../../client/client.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { OpenRequests } from "./open-requests.ts";
import { RunClient } from "./run-client.ts";
import { RunScope } from "./run-scope.ts";

const kind = { apiVersion: "x/v1", kind: "Box" } as Kind;

test("a run's requests are of its manager, end with its deadline, and are recorded", async () => {
  const { signal } = new AbortController();
  const requests = new OpenRequests(createVirtualRuntime().clock);
  const scopes: (ClientScope | undefined)[] = [];
  const base = {
    with: (scope: ClientScope) => (scopes.push(scope), base),
    applyUnread: async (_kind: Kind, _body: object, { as }: { readonly as?: ClientScope }) =>
      void scopes.push(as),
    find: async () => undefined,
  } as unknown as Client;
  const scope = new RunScope({ title: "Box a", deadline: signal, late() {}, requests });
  const caller = new RunClient(base, "op/box", scope);
  await caller.applyUnread(kind, {});
  await caller.find(kind, "a");
  assert.equal(caller.client, base);
  assert.equal(scopes.length, 2, "the derived client is made once");
  for (const given of scopes) {
    assert.equal(given!.fieldManager, "op/box");
    assert.equal(given!.signal, signal);
  }
  const answered = Promise.withResolvers<unknown>();
  scopes[0]!.requested!(answered.promise);
  assert.equal(requests.waitedMs(), 0);
  answered.resolve(undefined);
  await answered.promise;
  assert.deepEqual([requests.waitedMs(), scope.record.hasAnswer], [undefined, true]);
  const write = { kind, key: { name: "a" } } as CompletedWrite;
  scopes[0]!.written!(write);
  assert.deepEqual(scope.record.writes(), [write]);
});
