// The contract of every Runtime. `pass` advances its time.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Runtime, unitInterval, uuid } from "homeostat/runtime";

/** Runs the suite; `create` makes a fresh runtime and a way to let its time pass. */
export function runtimeSuite(
  name: string,
  create: () => { readonly runtime: Runtime; pass(ms: number): Promise<void> },
): void {
  describe(`runtime: ${name}`, () => {
    test("timers run once, in order of their time, never synchronously", async () => {
      const { runtime, pass } = create();
      const ran: string[] = [];
      runtime.clock.timer(20, () => ran.push("late"));
      runtime.clock.timer(5, () => ran.push("early"));
      runtime.clock.timer(0, () => ran.push("now"));
      assert.deepEqual(ran, []);
      await pass(40);
      assert.deepEqual(ran, ["now", "early", "late"]);
      await pass(40);
      assert.equal(ran.length, 3);
    });

    test("a cancelled timer does not run; cancelling again, or too late, does nothing", async () => {
      const { runtime, pass } = create();
      let ran = 0;
      const cancelled = runtime.clock.timer(5, () => ran++);
      cancelled.cancel();
      cancelled.cancel();
      const done = runtime.clock.timer(5, () => ran++);
      await pass(20);
      done.cancel();
      assert.equal(ran, 1);
    });

    test("monotonic time does not go back, wall time passes with it", async () => {
      const { runtime, pass } = create();
      const [wall, steady] = [runtime.clock.now(), runtime.clock.monotonic()];
      await pass(20);
      const [wallMs, steadyMs] = [runtime.clock.now() - wall, runtime.clock.monotonic() - steady];
      assert.ok(steadyMs >= 15, `${steadyMs} ms`);
      assert.ok(Math.abs(wallMs - steadyMs) < 15, `${wallMs} ms of wall time in ${steadyMs} ms`);
    });

    test("deferred work runs after the present call, in order, before any timer", async () => {
      const { runtime, pass } = create();
      const ran: string[] = [];
      runtime.clock.timer(0, () => ran.push("timer"));
      runtime.defer(() => ran.push("first"));
      runtime.defer(() => ran.push("second"));
      assert.deepEqual(ran, []);
      await pass(10);
      assert.deepEqual(ran, ["first", "second", "timer"]);
    });

    test("entropy is as long as asked for, the caller's own, and makes version 4 UUIDs", () => {
      const { entropy } = create().runtime;
      for (const n of [0, 1, 16, 5000]) assert.equal(entropy.bytes(n).length, n);
      const one = entropy.bytes(8);
      one.fill(0);
      assert.notDeepEqual([...entropy.bytes(8)], [...one]);
      const uuids = new Set(Array.from({ length: 1000 }, () => uuid(entropy)));
      assert.equal(uuids.size, 1000);
      for (const id of uuids)
        assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      for (let i = 0; i < 1000; i++) assert.ok(unitInterval(entropy) < 1);
    });
  });
}
