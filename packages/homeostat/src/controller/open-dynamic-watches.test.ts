import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../api/kind.ts";
import type { CachedObject, HandlerCause, InformerHandler } from "../cache/informer.ts";
import { createWorkQueue } from "../queue/create-workqueue.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { LoopDetector } from "./loop/loop-detector.ts";
import { openDynamicWatches } from "./open-dynamic-watches.ts";
import type { RunnerOptions } from "./run/runner-state.ts";
import type { WarnOnce } from "./warn-once.ts";
import { compileSelection } from "./watching/selection.ts";

const Part = { apiVersion: "x/v1", kind: "Part", resource: "parts", scope: "Namespaced" } as Kind;

test("what is part of a first list or of a resync runs after all else, what changes does not", async () => {
  const queue = createWorkQueue({ runtime: createVirtualRuntime() });
  const handlers: InformerHandler[] = [];
  const informer = {
    addHandler: (handler: InformerHandler) => (handlers.push(handler), { remove() {} }),
    heard: () => true,
    hasSynced: () => true,
    freshness: () => ({ isServed: true, isAllowed: true }),
    list: () => [],
    onFreshness: () => () => {},
  };
  const watches = openDynamicWatches(
    {
      definition: { name: "box" },
      lease: () => ({ informer, release() {} }),
      queue,
    } as unknown as RunnerOptions,
    { saw() {} } as unknown as LoopDetector,
    {} as WarnOnce,
  );
  const { signal } = new AbortController();
  for (const through of ["initial", "resync", "watch"] as const) {
    const key = `ns/${through}`;
    const selection = compileSelection({ namespace: through });
    await watches.read({ key, kind: Part, selection, signal });
    const cause: HandlerCause = { through, ownWrite: false };
    const facts = { key: `${through}/p`, name: "p", namespace: through, resourceVersion: "1" };
    handlers[0]!.added!(facts as unknown as CachedObject, cause);
  }
  const priorities = ["initial", "resync", "watch"].map(
    (through) => queue.explain(`ns/${through}`)?.priority,
  );
  assert.deepEqual(priorities, [-100, -100, 0]);
});
