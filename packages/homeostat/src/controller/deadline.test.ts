import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
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

test("work that ends leaves no timer and no listener behind", async () => {
  const runtime = createVirtualRuntime();
  const parent = new AbortController();
  const slow = { afterMs: 10, report: () => assert.fail("it was not slow") };
  const options = { timeoutMs: 1000, slow };
  await withDeadline(runtime.clock, options, parent.signal, async () => {});
  assert.equal(runtime.nextTimerMs(), undefined);
  assert.equal(getEventListeners(parent.signal, "abort").length, 0);
});

test("work that begins after its parent's abort is aborted", async () => {
  const runtime = createVirtualRuntime();
  const parent = AbortSignal.abort(new Error("shut down"));
  let seen: AbortSignal | undefined;
  const running = withDeadline(runtime.clock, { timeoutMs: undefined }, parent, (signal) => {
    seen = signal;
    return new Promise<void>(() => {});
  });
  assert.equal(seen?.reason, parent.reason);
  await runtime.advance(100);
  assert.equal((await running).at, "abandoned");
});

test("slow work is reported once, and only where its deadline is later", async () => {
  for (const [timeoutMs, reports] of [
    [30, 1],
    [undefined, 1],
    [10, 0],
  ] as const) {
    const runtime = createVirtualRuntime();
    let reported = 0;
    const slow = { afterMs: 10, report: () => void reported++ };
    const work = (): Promise<void> => new Promise(() => {});
    let at: string | undefined;
    void withDeadline(runtime.clock, { timeoutMs, slow }, quiet, work).then((finish) => {
      at = finish.at;
    });
    await runtime.advance(29);
    assert.deepEqual([reported, at], [reports, timeoutMs === 10 ? "abandoned" : undefined]);
    await runtime.advance(1);
    assert.equal(at, timeoutMs === undefined ? undefined : "abandoned");
  }
});
