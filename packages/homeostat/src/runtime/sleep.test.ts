import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { sleep } from "./sleep.ts";
import { createVirtualRuntime } from "./virtual-runtime.ts";

test("sleeps until its time or the abort, and leaves nothing behind", async () => {
  const runtime = createVirtualRuntime();
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = sleep(runtime.clock, 1000, signal);
  assert.equal(runtime.nextTimerMs(), 1000);
  await runtime.advance(1000);
  await ended;
  assert.equal(getEventListeners(signal, "abort").length, 0);
  const aborted = sleep(runtime.clock, 1000, signal);
  stopping.abort();
  await aborted;
  await sleep(runtime.clock, 1000, signal);
  assert.equal(runtime.nextTimerMs(), undefined);
});
