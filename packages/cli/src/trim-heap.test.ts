import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createVirtualRuntime } from "homeostat/runtime";
import { createHeapTrimmer, type HeapUsage, trimHeapWhenIdle } from "./trim-heap.ts";

const mega = 1 << 20;

/** A process whose usage the test sets; a collection leaves `afterwards` megabytes. */
function trimmed(afterwards: number) {
  const now = { cpuMs: 100, totalBytes: 30 * mega, usedBytes: 20 * mega };
  let collections = 0;
  const tick = createHeapTrimmer({
    usage: (): HeapUsage => ({ ...now }),
    collect() {
      collections++;
      now.cpuMs += 90;
      now.totalBytes = afterwards * mega;
    },
  });
  return {
    /** Uses so much CPU and heap in an interval; returns the collections up to its end. */
    interval(cpuMs: number, totalMegabytes = now.totalBytes / mega): number {
      now.cpuMs += cpuMs;
      now.totalBytes = totalMegabytes * mega;
      tick();
      return collections;
    },
    use: (usedMegabytes: number) => void (now.usedBytes = usedMegabytes * mega),
  };
}

test("a heap is trimmed after two idle intervals, and once", () => {
  const { interval } = trimmed(17);
  assert.deepEqual(
    [interval(300), interval(30), interval(31), interval(30), interval(30), interval(0)],
    [0, 0, 0, 0, 1, 1],
  );
});

test("it is trimmed again when it has grown, and not for less than it costs", () => {
  const { interval } = trimmed(17);
  assert.deepEqual(
    [interval(0), interval(0), interval(0, 22), interval(200, 40), interval(5), interval(5)],
    [0, 1, 1, 1, 1, 2],
  );
});

test("a large heap is left to V8", () => {
  const { interval, use } = trimmed(17);
  use(65);
  assert.deepEqual([interval(0, 200), interval(0)], [0, 0]);
  use(64);
  assert.equal(interval(0), 1);
});

test("the collection works on this Node, and leaves no global behind", async () => {
  const runtime = createVirtualRuntime();
  const garbage = new WeakRef({});
  await nextTurn(); // until then it is kept
  const stop = trimHeapWhenIdle(runtime.clock);
  await runtime.advance(600);
  stop();
  assert.equal(garbage.deref(), undefined);
  assert.equal("gc" in globalThis, process.execArgv.includes("--expose-gc"));
});
