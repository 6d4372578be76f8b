// The driver: waiting workers, the timer, draining. Time is virtual.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { createWorkQueue } from "./create-workqueue.ts";

describe("createWorkQueue", () => {
  it("wakes a waiting worker when a delayed key falls due", async () => {
    const runtime = createVirtualRuntime();
    const queue = createWorkQueue({ runtime });
    const got: string[] = [];
    void queue.get().then((item) => got.push(item!.key));
    queue.add("later", { afterMs: 1000 });
    queue.add("sooner", { afterMs: 500 });
    await runtime.advance(499);
    assert.deepEqual(got, []);
    await runtime.advance(1);
    assert.deepEqual(got, ["sooner"]);
    assert.equal(runtime.nextTimerMs(), 500, "one timer, for the next key");
  });

  it("sets one timer for keys that are due together", () => {
    const runtime = createVirtualRuntime();
    let timers = 0;
    const clock: typeof runtime.clock = {
      ...runtime.clock,
      timer(afterMs, run) {
        timers++;
        return runtime.clock.timer(afterMs, run);
      },
    };
    const queue = createWorkQueue({ runtime: { ...runtime, clock } });
    for (const key of ["a", "b", "c"]) queue.add(key, { afterMs: 500 });
    assert.equal(timers, 1);
    queue.add("sooner", { afterMs: 100 });
    queue.add("later", { afterMs: 900 });
    assert.equal(timers, 2);
  });

  it("keeps the limits that it documents", async () => {
    const runtime = createVirtualRuntime();
    const queue = createWorkQueue({ runtime });
    assert.equal(queue.addRateLimited("a"), 5);
    for (let i = 0; i < 30; i++) queue.addRateLimited("a");
    assert.equal(queue.addRateLimited("a"), 1_000_000);
    for (let i = 0; i < 10; i++) queue.add("b", { cause: { what: `cause ${i}` } });
    assert.equal(queue.explain("b")?.causes.length, 8);
    assert.equal(queue.explain("b")?.droppedCauses, 2);
    for (let i = 0; i <= 10_000; i++) queue.ignore(`idle-${i}`, { what: "seen" });
    assert.equal(queue.explain("idle-0"), undefined);
    assert.equal(queue.explain("idle-1")?.state, "idle");
  });

  it("wakes a waiting worker when a retry falls due", async () => {
    const runtime = createVirtualRuntime();
    const queue = createWorkQueue({ runtime });
    const item = queue.get();
    assert.equal(queue.addRateLimited("a"), 5);
    await runtime.advance(5);
    assert.equal(queue.depth().processing, 1);
    assert.equal((await item)?.failures, 1);
  });

  it("leaves no timer behind when it shuts down", async () => {
    const runtime = createVirtualRuntime();
    const queue = createWorkQueue({ runtime });
    queue.add("later", { afterMs: 60_000 });
    queue.add("sooner", { afterMs: 30_000 });
    await queue.shutDown();
    assert.equal(runtime.nextTimerMs(), undefined);
  });

  it("leaves no listener on the signal of a worker that got a key", async () => {
    const queue = createWorkQueue({ runtime: createVirtualRuntime() });
    const { signal } = new AbortController();
    const item = queue.get(signal);
    queue.add("a");
    assert.equal((await item)?.key, "a");
    assert.equal(getEventListeners(signal, "abort").length, 0);
  });

  it("returns the wall time at which a delayed key runs", () => {
    const runtime = createVirtualRuntime({ startMs: 5000 });
    const queue = createWorkQueue({ runtime });
    queue.add("a", { afterMs: 250, cause: { what: "timer" } });
    assert.equal(queue.explain("a")?.dueAt, 5250);
    assert.deepEqual(queue.explain("a")?.causes, [{ what: "timer", at: 5000, times: 1 }]);
  });

  it("releases a worker whose signal aborts, and gives the key to the next", async () => {
    const queue = createWorkQueue({ runtime: createVirtualRuntime() });
    const abort = new AbortController();
    const first = queue.get(abort.signal);
    const second = queue.get();
    abort.abort();
    assert.equal(await first, undefined);
    queue.add("a");
    assert.equal((await second)?.key, "a");
    assert.equal(await queue.get(abort.signal), undefined);
  });

  it("drains on shutdown: hands out ready keys, releases waiting workers, and waits for done", async () => {
    const queue = createWorkQueue({ runtime: createVirtualRuntime() });
    queue.add("a");
    queue.add("b");
    const a = (await queue.get())!;
    let drained = false;
    const draining = queue.shutDown().then(() => (drained = true));
    const b = (await queue.get())!;
    assert.equal(await queue.get(), undefined);
    queue.add("c");
    queue.done(a.key);
    await Promise.resolve();
    assert.equal(drained, false);
    queue.done(b.key);
    await draining;
    assert.equal(queue.explain("c"), undefined);
  });

  it("reports adds, takes, retries and results to its observer", async () => {
    const runtime = createVirtualRuntime();
    const seen: string[] = [];
    const queue = createWorkQueue({
      runtime,
      observer: {
        added: (key, priority) => seen.push(`added ${key} ${priority}`),
        taken: (key, waitedMs) => seen.push(`taken ${key} ${waitedMs}`),
        done: (key, workedMs) => seen.push(`done ${key} ${workedMs}`),
        retried: (key) => seen.push(`retried ${key}`),
      },
    });
    queue.add("a", { priority: -100 });
    await runtime.advance(30);
    await queue.get();
    await runtime.advance(2000);
    assert.deepEqual(queue.unfinished(), { seconds: 2, longestSeconds: 2 });
    queue.addRateLimited("a");
    queue.done("a");
    assert.deepEqual(seen, ["added a -100", "taken a 30", "retried a", "done a 2000"]);
    queue.add("b");
    void queue.shutDown();
    queue.add("refused");
    assert.deepEqual(seen.slice(4), ["added b 0"]);
  });
});
