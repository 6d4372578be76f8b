import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createKeyedWorkers, reportAfterFailures } from "./keyed-workers.ts";

test("a key that fails is retried with back-off, and reported once", async () => {
  const runtime = createVirtualRuntime();
  const reported: string[] = [];
  let runs = 0;
  const workers = createKeyedWorkers({
    runtime,
    backoff: { firstMs: 1, maxMs: 10 },
    failing: (key, error) => reported.push(`${key}: ${(error as Error).message}`),
  });
  workers.start(async () => {
    runs++;
    throw new Error("no");
  });
  workers.add("a");
  await runtime.advance(1000);
  assert.ok(runs > reportAfterFailures + 5, String(runs));
  assert.deepEqual(reported, ["a: no"]);
  await workers.stop();
});

test("a key comes back when its sync asks for it", async () => {
  const runtime = createVirtualRuntime();
  const synced: string[] = [];
  const workers = createKeyedWorkers({ runtime });
  workers.start(async (key) => (synced.push(key) === 1 ? 500 : undefined));
  workers.add("a");
  await runtime.advance(499);
  assert.deepEqual(synced, ["a"]);
  await runtime.advance(1);
  assert.deepEqual(synced, ["a", "a"]);
  await runtime.advance(5000);
  assert.equal(synced.length, 2);
  await workers.stop();
});

test("one key is never processed twice at once, and workers share the keys", async () => {
  const runtime = createVirtualRuntime();
  const open = new Set<string>();
  let most = 0;
  const workers = createKeyedWorkers({ runtime, workers: 2 });
  workers.start(async (key) => {
    assert.ok(!open.has(key));
    open.add(key);
    most = Math.max(most, open.size);
    await new Promise<void>((done) => void runtime.clock.timer(10, done));
    open.delete(key);
  });
  for (const key of ["a", "b", "c", "a"]) workers.add(key);
  await runtime.advance(5);
  workers.add("a");
  await runtime.advance(100);
  assert.equal(most, 2);
  await workers.stop();
});

test("a stop drops what waits, started or not", async () => {
  const runtime = createVirtualRuntime();
  const synced: string[] = [];
  const never = createKeyedWorkers({ runtime });
  never.add("a");
  await never.stop();
  const gate = Promise.withResolvers<void>();
  const workers = createKeyedWorkers({ runtime });
  workers.start(async (key) => void synced.push(key), gate.promise);
  workers.add("a");
  const stopped = workers.stop();
  gate.resolve();
  await stopped;
  workers.add("b");
  await runtime.advance(10);
  assert.deepEqual(synced, []);
});
