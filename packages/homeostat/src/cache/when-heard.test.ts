import assert from "node:assert/strict";
import { test } from "node:test";
import type { Informer } from "./informer.ts";
import { whenHeard } from "./when-heard.ts";

function informer() {
  const listeners = new Set<() => void>();
  const state = { hasSynced: false, isServed: true };
  const synced = Promise.withResolvers<void>();
  const parts = {
    hasSynced: () => state.hasSynced,
    freshness: () => state,
    onFreshness(listener: () => void) {
      listeners.add(listener);
      return { remove: () => listeners.delete(listener) };
    },
    synced(signal: AbortSignal) {
      signal.addEventListener("abort", () => synced.reject(new Error("aborted")));
      return synced.promise;
    },
  };
  return {
    informer: parts as unknown as Informer,
    listeners,
    sync() {
      state.hasSynced = true;
      synced.resolve();
    },
    lose() {
      state.isServed = false;
      for (const listener of listeners) listener();
    },
  };
}

async function begin() {
  const parts = [informer(), informer()] as const;
  const ending = new AbortController();
  let isHeard = false;
  const heard = whenHeard(
    parts.map((part) => part.informer),
    ending.signal,
  ).then(() => (isHeard = true));
  const pause = () => new Promise((resolve) => setImmediate(resolve));
  await pause();
  return { parts, ending, heard, isHeard: () => isHeard, pause };
}

test("informers are heard when each has synced, or is not served", async () => {
  const { parts, heard, isHeard, pause } = await begin();
  const [first, second] = parts;
  first.sync();
  await pause();
  assert.equal(isHeard(), false);
  second.lose();
  await heard;
  assert.deepEqual([first.listeners.size, second.listeners.size], [0, 0]);
});

test("informers that have synced are heard at once, and not listened to", async () => {
  const synced = informer();
  synced.sync();
  const { signal } = new AbortController();
  synced.informer.onFreshness = () => assert.fail("it listens");
  await whenHeard([synced.informer], signal);
});

test("nothing is heard of any more when the signal aborts", async () => {
  const { ending, heard, isHeard } = await begin();
  assert.equal(isHeard(), false);
  ending.abort();
  await heard;
});
