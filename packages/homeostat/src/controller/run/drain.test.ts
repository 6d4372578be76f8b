import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { drain } from "./drain.ts";

function begin(stopping = new AbortController()) {
  const runtime = createVirtualRuntime();
  const work = Promise.withResolvers<void>();
  let isDrained = false;
  const drained = drain(work.promise, { clock: runtime.clock, stopping, drainMs: 1000 });
  void drained.then(() => (isDrained = true));
  return { runtime, work, stopping, isDrained: () => isDrained };
}

test("work that ends in time is not aborted before", async () => {
  const { runtime, work, stopping, isDrained } = begin();
  await runtime.advance(999);
  assert.deepEqual([isDrained(), stopping.signal.aborted], [false, false]);
  work.resolve();
  await runtime.advance(0);
  assert.equal(isDrained(), true);
  assert.match(String(stopping.signal.reason), /the manager has stopped/);
  assert.equal(runtime.nextTimerMs(), undefined);
});

test("work that does not end is aborted, and awaited no longer", async () => {
  const { runtime, stopping, isDrained } = begin();
  await runtime.advance(1000);
  assert.equal(isDrained(), true);
  assert.match(String(stopping.signal.reason), /the manager is shutting down/);
});

test("work that was aborted before is not awaited", async () => {
  const stopping = new AbortController();
  stopping.abort();
  const { runtime, isDrained } = begin(stopping);
  await runtime.advance(0);
  assert.equal(isDrained(), true);
  assert.equal(runtime.nextTimerMs(), undefined);
});
