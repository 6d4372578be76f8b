// The clock that jumps, over the system's and over one that the test moves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createJumpingRuntime } from "./jumping-runtime.ts";

test("stands still during a jump, runs what falls into it, and goes on from there", async () => {
  const base = createVirtualRuntime({ startMs: 1_000_000 });
  const { clock, ...jumping } = createJumpingRuntime(base);
  const ran: [string, number, number][] = [];
  const note = (what: string) => () => ran.push([what, clock.now() - 1_000_000, clock.monotonic()]);
  clock.timer(300, note("late"));
  clock.timer(100, () => {
    note("early")();
    clock.timer(50, note("set meanwhile"));
  });
  clock.timer(200, note("cancelled")).cancel();
  clock.timer(1000, note("after"));
  jumping.stand();
  await base.advance(150);
  assert.deepEqual(ran, [], "real time runs no timer");
  assert.equal(clock.monotonic(), 0);
  while (jumping.runNext(500));
  assert.deepEqual(ran, [
    ["early", 100, 100],
    ["set meanwhile", 150, 150],
    ["late", 300, 300],
  ]);
  jumping.resume(500);
  assert.deepEqual([clock.now(), clock.monotonic()], [1_000_500, 500]);
  await base.advance(499);
  assert.equal(ran.length, 3);
  await base.advance(1);
  assert.deepEqual(ran.at(-1), ["after", 1000, 1000]);
});

test("knows a timer that is due", async () => {
  const base = createVirtualRuntime();
  const { clock, isDue, stand, resume } = createJumpingRuntime(base);
  assert.equal(isDue(), false);
  clock.timer(10, () => {});
  assert.equal(isDue(), false);
  stand();
  resume(10);
  assert.equal(isDue(), true);
  await base.advance(1);
  assert.equal(isDue(), false);
  clock.timer(NaN, () => {});
  clock.timer(0, () => {});
  assert.equal(isDue(), true);
});

test("comes to a time that is less than its precision away", async () => {
  const base = createVirtualRuntime();
  await base.advance(2790);
  const { clock, stand, runNext } = createJumpingRuntime(base);
  let looks = 0;
  const look = (): void => void (looks++ < 100 && clock.timer(2e-13, look));
  look();
  stand();
  const from = clock.monotonic();
  while (runNext(Infinity));
  assert.ok(clock.monotonic() > from);
});
