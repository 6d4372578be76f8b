// What is said about informers that are behind, on a virtual clock.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Cache } from "../../cache/index.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { logFreshness } from "./log-freshness.ts";

interface Said {
  hasSynced: boolean;
  ready: boolean;
  reason: string;
  lastError?: string;
}

function arrange(...names: readonly string[]) {
  const runtime = createVirtualRuntime();
  const lines: string[] = [];
  const say = (message: string): void => void lines.push(message);
  const states = names.map((): Said => ({ hasSynced: true, ready: true, reason: "" }));
  const informers = names.map((kind, i) => ({
    kind: { kind },
    scope: {},
    hasSynced: () => states[i]!.hasSynced,
    freshness: () => states[i]!,
  }));
  let changed = (): void => {};
  const cache = {
    informers: () => informers,
    onFreshness(listener: () => void) {
      changed = listener;
      return { remove() {} };
    },
  } as unknown as Cache;
  const told = logFreshness({
    cache,
    log: { debug: say, info: say, warn: say, error: say },
    runtime,
    isLeftOut: () => false,
    waitingFor: () => [],
  });
  const linesAfter = (ms: number) => async (change: (...kinds: Said[]) => void) => {
    change(...states);
    changed();
    await runtime.advance(ms);
    return lines.splice(0);
  };
  /** What is said after a change: soon, and until a first list takes long. */
  const [after, later] = [linesAfter(250), linesAfter(10_000)];
  return { after, later, stop: () => told.stop() };
}

test("a kind that is behind is named once for each cause, and when it is back", async () => {
  const { after, stop } = arrange("Box", "Part");
  const lost = (lastError: string, s: number) => (box: Said) =>
    Object.assign(box, { ready: false, reason: `no watch for ${s} s: ${lastError}`, lastError });
  assert.deepEqual(await after(lost("reset", 8)), ["Box: no watch for 8 s: reset"]);
  assert.deepEqual(await after(lost("reset", 9)), [], "no news");
  assert.deepEqual(await after(lost("forbidden", 10)), ["Box: no watch for 10 s: forbidden"]);
  const second = await after((box, part) => Object.assign(part, box));
  assert.deepEqual(second, ["Part: no watch for 10 s: forbidden"], "Box is named already");
  const back = await after((box) => Object.assign(box, { ready: true, reason: "" }));
  assert.deepEqual(back, ["Box: up to date with the server again"]);
  assert.deepEqual(await after(lost("reset", 8)), ["Box: no watch for 8 s: reset"]);
  stop();
});

test("a definition that the server begins to serve is worth no line, unless it takes long", async () => {
  const { after, stop } = arrange("Box");
  const refused = (lastError: string, hasSynced: boolean) => (box: Said) =>
    Object.assign(box, { ready: false, hasSynced, reason: lastError, lastError });
  assert.deepEqual(await after(refused("storage is (re)initializing", false)), []);
  assert.deepEqual(await after(refused("forbidden", false)), ["Box: forbidden"]);
  assert.deepEqual(await after(refused("storage is (re)initializing", true)), [
    "Box: storage is (re)initializing",
  ]);
  stop();
});

test("a first list that takes long is reported with its reason", async () => {
  const { later, stop } = arrange("Box");
  const lastError = "storage is (re)initializing";
  const lines = await later((box) =>
    Object.assign(box, { ready: false, hasSynced: false, reason: lastError, lastError }),
  );
  assert.deepEqual(lines, [`still waiting for the first list of Box: ${lastError}`]);
  stop();
});
