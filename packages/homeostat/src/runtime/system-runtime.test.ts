// The system's timers beyond what setTimeout can count. Time is mocked: no test waits for weeks.
import assert from "node:assert/strict";
import { performance } from "node:perf_hooks";
import { afterEach, beforeEach, describe, it, mock, test } from "node:test";
import { createSystemRuntime } from "./system-runtime.ts";

const dayMs = 86_400_000;

describe("timers", () => {
  let now = 0;
  const advance = (ms: number): void => {
    now += ms;
    mock.timers.tick(ms);
  };
  beforeEach(() => {
    now = 0;
    mock.timers.enable({ apis: ["setTimeout"] });
    mock.method(performance, "now", () => now);
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });
  const set = (afterMs: number): { readonly runs: () => number; readonly cancel: () => void } => {
    let runs = 0;
    const timer = createSystemRuntime().clock.timer(afterMs, () => runs++);
    return { runs: () => runs, cancel: () => timer.cancel() };
  };

  it("run once, at their time, however far it is", () => {
    const { runs } = set(60 * dayMs);
    for (let day = 1; day < 60; day++) advance(dayMs);
    assert.equal(runs(), 0);
    advance(dayMs);
    assert.equal(runs(), 1);
    for (let day = 0; day < 60; day++) advance(dayMs);
    assert.equal(runs(), 1);
  });

  it("can be cancelled after they were armed again", () => {
    const { runs, cancel } = set(60 * dayMs);
    for (let day = 0; day < 30; day++) advance(dayMs);
    cancel();
    for (let day = 0; day < 60; day++) advance(dayMs);
    assert.equal(runs(), 0);
  });

  for (const afterMs of [Infinity, NaN]) {
    it(`never run after ${afterMs}`, () => {
      const { runs } = set(afterMs);
      for (let day = 0; day < 100; day++) advance(dayMs);
      assert.equal(runs(), 0);
    });
  }

  for (const afterMs of [0, -1, -Infinity]) {
    it(`run once, and not at once, after ${afterMs}`, () => {
      const { runs } = set(afterMs);
      assert.equal(runs(), 0);
      advance(1);
      advance(dayMs);
      assert.equal(runs(), 1);
    });
  }
});

test("timers do not keep the process alive; a hold does, until it is cancelled", () => {
  const { clock } = createSystemRuntime();
  const alive = (): number =>
    process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  const before = alive();
  const timers = [clock.timer(dayMs, () => {}), clock.timer(60 * dayMs, () => {})];
  assert.equal(alive(), before);
  const hold = clock.hold!();
  assert.equal(alive(), before + 1);
  hold.cancel();
  assert.equal(alive(), before);
  for (const timer of timers) timer.cancel();
});
