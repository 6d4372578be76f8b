import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { LoopWatch } from "./loop-watch.ts";

function arrange() {
  const runtime = createVirtualRuntime();
  const looping = new Set<string>();
  const ended: string[] = [];
  const watch = new LoopWatch({
    clock: runtime.clock,
    isLooping: (key) => looping.has(key),
    ended: (key) => ended.push(key),
  });
  return { runtime, looping, ended, watch };
}

test("a reported loop is known until the object has come to rest, which is said once", async () => {
  const { runtime, looping, ended, watch } = arrange();
  looping.add("a");
  watch.reported("a", "it loops");
  await runtime.advance(20_000);
  assert.equal(watch.messageOf("a"), "it loops");
  assert.deepEqual(ended, []);
  looping.delete("a");
  await runtime.advance(4999);
  assert.deepEqual(ended, []);
  await runtime.advance(1);
  assert.equal(watch.messageOf("a"), undefined);
  await runtime.advance(20_000);
  assert.deepEqual(ended, ["a"]);
});

test("a second report replaces the first, and is looked at by itself", async () => {
  const { runtime, ended, watch } = arrange();
  watch.reported("a", "first");
  await runtime.advance(3000);
  watch.reported("a", "second");
  await runtime.advance(3000);
  assert.equal(watch.messageOf("a"), "second");
  assert.deepEqual(ended, []);
  await runtime.advance(2000);
  assert.deepEqual(ended, ["a"]);
});

test("nothing is said of an object that is gone, nor after the stop", async () => {
  const { runtime, ended, watch } = arrange();
  for (const key of ["a", "b", "c"]) watch.reported(key, key);
  watch.forget("a");
  assert.equal(watch.messageOf("a"), undefined);
  assert.deepEqual(watch.stop(), ["b", "c"]);
  assert.equal(watch.reported("d", "late"), false);
  await runtime.advance(20_000);
  assert.deepEqual(ended, []);
  for (const key of ["b", "d"]) assert.equal(watch.messageOf(key), undefined);
});
