import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../api/kind.ts";
import { RunRecord } from "./echo/run-record.ts";
import { type ContextRun, createContext } from "./run-context.ts";

const kind = { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope: "Namespaced" } as Kind;
const late = { wait: "wait", client: "client", recorder: "recorder", log: "log" };

function open() {
  const { signal } = new AbortController();
  const object = { metadata: { name: "a", uid: "u", resourceVersion: "1" }, status: { n: 1 } };
  const idle = (): void => {};
  const calls = { own: idle, step: idle, status: idle, condition: idle, watch: idle };
  const scope = { signal, record: new RunRecord() };
  const definition = { kind, refs: {}, watches: {} };
  const observe = <T>(read: T): T => read;
  const run = { object, scope, observe, ...late, ...calls } as unknown as ContextRun;
  return { signal, context: createContext({ definition } as never, run) as any };
}

test("a context is read as well through copies, proxies and heirs", () => {
  const { signal, context } = open();
  const copies = {
    itself: context,
    frozen: Object.freeze(context),
    spread: { ...context },
    proxy: new Proxy(context, {}),
    heir: Object.create(context),
    described: Object.defineProperties({}, Object.getOwnPropertyDescriptors(context)),
  };
  for (const [how, copy] of Object.entries(copies)) {
    for (const [name, part] of Object.entries(late)) assert.equal(copy[name], part, how);
    assert.equal(copy.signal, signal, how);
    assert.equal(copy.cache, context.cache, how);
    assert.deepEqual(copy.object.status, { n: 1 }, how);
  }
});
