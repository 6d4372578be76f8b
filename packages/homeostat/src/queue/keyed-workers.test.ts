import assert from "node:assert/strict";
import { test } from "node:test";
import { createSystemRuntime } from "../runtime/system-runtime.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createKeyedWorkers, reportAfterFailures } from "./keyed-workers.ts";

test("a key that fails is retried with back-off, and reported once", async () => {
  const runtime = createVirtualRuntime();
  const reported: string[] = [];
  let runs = 0;
  const workers = createKeyedWorkers({
    runtime,
    backoff: { firstMs: 1, maxMs: 10 },
    failing: (key, error) => reported.push(`${key} after ${runs}: ${(error as Error).message}`),
  });
  workers.start(async () => {
    runs++;
    throw new Error("no");
  });
  workers.add("a");
  await runtime.advance(1000);
  assert.ok(runs > reportAfterFailures + 5, String(runs));
  assert.deepEqual(reported, ["a after 10: no"]);
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

test("a sync that asks for its key again at once gets it", async () => {
  const runtime = createVirtualRuntime();
  let runs = 0;
  const workers = createKeyedWorkers({ runtime });
  workers.start(async () => (++runs === 1 ? 0 : undefined));
  workers.add("a");
  await runtime.advance(0);
  assert.equal(runs, 2);
  await workers.stop();
});

test("a key may be added for later", async () => {
  const runtime = createVirtualRuntime();
  const synced: string[] = [];
  const workers = createKeyedWorkers({ runtime });
  workers.start(async (key) => void synced.push(key));
  workers.add("a", 500);
  await runtime.advance(499);
  assert.deepEqual(synced, []);
  await runtime.advance(1);
  assert.deepEqual(synced, ["a"]);
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

test("workers that wake each other leave time for timers within a bounded number of items", async () => {
  const system = createSystemRuntime();
  let items = 0;
  // Each item takes a millisecond.
  const runtime = { ...system, clock: { ...system.clock, monotonic: () => items } };
  const first = createKeyedWorkers({ runtime });
  const second = createKeyedWorkers({ runtime });
  first.start(async (key) => void (items++ < 100_000 && second.add(key)));
  second.start(async (key) => void (items++, first.add(key)));
  first.add("a");
  await new Promise<void>((resolve) => setImmediate(resolve));
  assert.ok(items > 10 && items < 50, `${items} items before the event loop came round`);
  await Promise.all([first.stop(), second.stop()]);
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

test("the back-off starts over after a success", async () => {
  const runtime = createVirtualRuntime();
  const times: number[] = [];
  let fails = 3;
  const workers = createKeyedWorkers({ runtime, backoff: { firstMs: 100, maxMs: 10_000 } });
  workers.start(async () => {
    times.push(runtime.clock.monotonic());
    if (fails-- > 0) throw new Error("no");
  });
  workers.add("a");
  await runtime.advance(5000);
  assert.deepEqual(times, [0, 100, 300, 700]);
  fails = 1;
  workers.add("a");
  await runtime.advance(5000);
  assert.deepEqual(times.slice(4), [5000, 5100]);
  await workers.stop();
});

test("a stop awaits the sync that runs, and retries nothing afterwards", async () => {
  const runtime = createVirtualRuntime();
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const workers = createKeyedWorkers({ runtime, backoff: { firstMs: 1, maxMs: 1 } });
  workers.start(async () => {
    runs++;
    await gate.promise;
    throw new Error("late");
  });
  workers.add("a");
  workers.add("b");
  await runtime.advance(1);
  let isStopped = false;
  const stopped = workers.stop().then(() => (isStopped = true));
  await runtime.advance(10);
  assert.equal(isStopped, false);
  gate.resolve();
  await stopped;
  await runtime.advance(1000);
  assert.equal(runs, 1);
});

test("a stop drops what waits behind the sync that runs", async () => {
  const runtime = createVirtualRuntime();
  const gate = Promise.withResolvers<void>();
  const synced: string[] = [];
  const workers = createKeyedWorkers({ runtime });
  workers.start(async (key) => {
    synced.push(key);
    await gate.promise;
  });
  for (let i = 0; i < 100; i++) workers.add(`key-${i}`);
  await runtime.advance(1);
  gate.resolve();
  await workers.stop();
  assert.deepEqual(synced, ["key-0"]);
});

test("a report that throws ends neither the worker nor the stop", async () => {
  const runtime = createVirtualRuntime();
  const synced: string[] = [];
  const workers = createKeyedWorkers({
    runtime,
    backoff: { firstMs: 1, maxMs: 1 },
    failing: () => {
      throw new Error("reporter");
    },
  });
  workers.start(async (key) => {
    synced.push(key);
    if (key === "a") throw new Error("no");
    return Number.NaN;
  });
  workers.add("a");
  await runtime.advance(100);
  workers.add("b");
  await runtime.advance(10);
  assert.equal(synced.filter((key) => key === "b").length, 1);
  assert.ok(synced.filter((key) => key === "a").length > reportAfterFailures);
  await workers.stop();
});

test("a stop does not wait for a rest that no time ends", async () => {
  const runtime = createVirtualRuntime();
  const workers = createKeyedWorkers({ runtime });
  let runs = 0;
  workers.start(async () => void runs++);
  await runtime.advance(1000);
  workers.add("a");
  await new Promise(setImmediate);
  assert.equal(runs, 1);
  await workers.stop();
});
