import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { withDeadline } from "./deadline.ts";

const quiet = new AbortController().signal;

test("work that ends in time settles, work that throws fails", async () => {
  const { clock } = createVirtualRuntime();
  assert.deepEqual(await withDeadline(clock, { timeoutMs: 1000 }, quiet, async () => 7), {
    at: "settled",
    value: 7,
  });
  const failure = new Error("no");
  assert.deepEqual(
    await withDeadline(clock, { timeoutMs: undefined }, quiet, () => Promise.reject(failure)),
    {
      at: "failed",
      error: failure,
    },
  );
});

test("at the deadline the signal aborts and the caller continues; the work's result stays available", async () => {
  const runtime = createVirtualRuntime();
  let end = (): void => {};
  let seen: AbortSignal | undefined;
  const running = withDeadline(runtime.clock, { timeoutMs: 1000 }, quiet, (signal) => {
    seen = signal;
    return new Promise<void>((resolve) => (end = resolve));
  });
  await runtime.advance(1000);
  const finish = await running;
  assert.equal(finish.at, "abandoned");
  assert.equal(seen?.aborted, true);
  let settled = false;
  void (finish as { settled: Promise<void> }).settled.then(() => (settled = true));
  await runtime.advance(10);
  assert.equal(settled, false);
  end();
  await runtime.advance(0);
  assert.equal(settled, true);
});

test("the parent's abort aborts the work", async () => {
  const { clock } = createVirtualRuntime();
  const parent = new AbortController();
  const running = withDeadline(
    clock,
    { timeoutMs: undefined },
    parent.signal,
    (signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  parent.abort(new Error("shutting down"));
  assert.deepEqual(await running, { at: "failed", error: new Error("shutting down") });
});

test("abandoned work is heard to settle, also when its parent aborts before that", async () => {
  const runtime = createVirtualRuntime();
  const parent = new AbortController();
  const work = Promise.withResolvers<void>();
  const running = withDeadline(
    runtime.clock,
    { timeoutMs: 1000 },
    parent.signal,
    () => work.promise,
  );
  await runtime.advance(1000);
  const { settled } = (await running) as { readonly settled: Promise<void> };
  let isSettled = false;
  void settled.then(() => (isSettled = true));
  parent.abort(new Error("shutting down"));
  await runtime.advance(1000);
  work.resolve();
  await runtime.advance(0);
  assert.equal(isSettled, true);
});
