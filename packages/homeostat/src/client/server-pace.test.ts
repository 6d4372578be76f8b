// The pace towards a failing server: one attempt a second for all, in turn, and all at once when
// one holds.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVirtualRuntime, type VirtualRuntime } from "../runtime/virtual-runtime.ts";
import { ServerPace } from "./server-pace.ts";

interface Attempts {
  readonly runtime: VirtualRuntime;
  readonly pace: ServerPace;
  readonly log: { readonly name: string; readonly at: number }[];
  /** Waits, and waits again after each attempt. */
  failing(name: string, afterMs?: number): void;
}

function open(seed = 1): Attempts {
  const runtime = createVirtualRuntime({ seed });
  const pace = new ServerPace(runtime);
  const log: { readonly name: string; readonly at: number }[] = [];
  const failing = (name: string, afterMs = 0): void =>
    void pace.wait(afterMs, () => {
      log.push({ name, at: runtime.clock.monotonic() });
      failing(name, afterMs);
    });
  return { runtime, pace, log, failing };
}

describe("ServerPace", () => {
  it("lets one of all go a second, each in its turn, with jitter", async () => {
    const { runtime, log, failing } = open();
    for (const name of ["a", "b", "c"]) failing(name);
    await runtime.advance(60_000);
    const gaps = log.slice(1).map(({ at }, i) => at - log[i]!.at);
    assert.ok(gaps.every((gap) => gap >= 1000 && gap <= 1600));
    assert.ok(new Set(gaps).size > 10);
    assert.deepEqual(
      log.slice(0, 6).map(({ name }) => name),
      ["a", "b", "c", "a", "b", "c"],
    );
  });

  it("is quick when nothing has failed for a while", async () => {
    const { runtime, log, failing } = open();
    failing("a");
    await runtime.advance(250);
    assert.equal(log.length, 1);
  });

  it("keeps what the server asked to wait, and lets others go meanwhile", async () => {
    const { runtime, pace, log, failing } = open();
    failing("asked", 5000);
    failing("b");
    await runtime.advance(4900);
    pace.recovered();
    await runtime.advance(90);
    assert.ok(log.length >= 3 && log.every(({ name }) => name === "b"));
    await runtime.advance(3000);
    assert.ok(log.some(({ name }) => name === "asked"));
  });

  it("wakes all that wait when one holds, each once, spread over half a second", async () => {
    const { runtime, pace } = open();
    const woken = new Map<number, number>();
    for (let i = 0; i < 100; i++)
      pace.wait(0, () => {
        assert.ok(!woken.has(i));
        woken.set(i, runtime.clock.monotonic());
      });
    pace.recovered();
    await runtime.advance(500);
    assert.equal(woken.size, 100);
    const times = [...woken.values()].toSorted((a, b) => a - b);
    assert.ok(times.at(-1)! > 400 && times[50]! > 150 && times[50]! < 350);
    await runtime.advance(10_000);
    assert.equal(pace.waiting, 0);
  });

  it("wakes at most once a second", async () => {
    const { runtime, pace, log, failing } = open();
    for (let i = 0; i < 20; i++) failing(`k${i}`);
    for (let at = 0; at < 10_000; at += 100) {
      pace.recovered();
      await runtime.advance(100);
    }
    assert.ok(log.length > 150 && log.length <= 20 * 11 + 11, `${log.length} in 10 s`);
  });

  it("lets what has failed less often go first", async () => {
    const { runtime, pace, log, failing } = open();
    const stuck = (name: string): void =>
      void pace.wait(0, () => (log.push({ name, at: 0 }), stuck(name)), { failures: 50 });
    for (let i = 0; i < 1000; i++) stuck(`k${i}`);
    failing("fresh");
    await runtime.advance(3000);
    assert.ok(log.length > 1 && log.every(({ name }) => name === "fresh"));
  });

  it("lets a watch go first, unless one has just had its turn", async () => {
    const { runtime, pace, log, failing } = open();
    for (let i = 0; i < 120; i++) failing(`k${i}`);
    await runtime.advance(5000);
    log.length = 0;
    const watch = (): void =>
      void pace.wait(
        0,
        () => (log.push({ name: "watch", at: runtime.clock.monotonic() }), watch()),
        {
          lane: "watch",
          failures: 9,
        },
      );
    const from = runtime.clock.monotonic();
    watch();
    await runtime.advance(12_000);
    const isWatch = log.map(({ name }) => name === "watch");
    assert.deepEqual(isWatch.slice(0, 6), [true, false, true, false, true, false]);
    const turns = log.filter(({ name }) => name === "watch").map(({ at }) => at);
    assert.ok([from, ...turns].every((at, i) => i === 0 || at - [from, ...turns][i - 1]! < 3000));
    assert.ok(log.every(({ at }, i) => i === 0 || at - log[i - 1]!.at >= 1000));
  });

  it("passes a turn that was not used on at once", async () => {
    const { runtime, pace } = open();
    let turns = 0;
    for (let i = 0; i < 10; i++)
      pace.wait(0, () => {
        turns++;
        if (turns !== 5) pace.passed();
      });
    await runtime.advance(1100);
    assert.equal(turns, 5);
    await runtime.advance(2500);
    assert.equal(turns, 10);
  });

  it("forgets what is cancelled, also after it was woken", async () => {
    const { runtime, pace } = open();
    const timers = [1, 2].map(() => pace.wait(0, () => assert.fail("cancelled")));
    timers[0]!.cancel();
    pace.recovered();
    timers[1]!.cancel();
    await runtime.advance(10_000);
    assert.equal(runtime.nextTimerMs(), undefined);
  });

  it("lets many watches live 8 s, and doubts all of many when one was blind", async () => {
    const { runtime, pace } = open();
    let doubts = 0;
    const add = (n: number): void => {
      for (let i = 0; i < n; i++) pace.addWatch(() => doubts++);
    };
    add(7);
    const left = pace.addWatch(() => assert.fail("left"));
    left.remove();
    assert.equal(pace.watchMs(7000), 7000);
    pace.suspect();
    await runtime.advance(1000);
    assert.equal(doubts, 0, "seven prove themselves in time");
    add(3);
    assert.equal(pace.watchMs(7000), 8000);
    add(10);
    assert.equal(pace.watchMs(7000), 8000);
    assert.equal(pace.watchMs(300_000), 300_000);
    pace.suspect();
    pace.suspect();
    await runtime.advance(1000);
    assert.ok(doubts >= 9 && doubts <= 11, `${doubts} in a second`);
    await runtime.advance(1000);
    assert.equal(doubts, 20);
  });

  it("asks once what the server counts for watches that come back together", async () => {
    const { runtime, pace } = open();
    let asked = 0;
    const ask = async (): Promise<string> => String(++asked);
    assert.deepEqual(await Promise.all([pace.revision(ask), pace.revision(ask)]), ["1", "1"]);
    await runtime.advance(1001);
    assert.equal(await pace.revision(ask), "2");
  });
});
