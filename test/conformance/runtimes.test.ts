// The system's runtime and the virtual one run the runtime suite.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSystemRuntime, createVirtualRuntime } from "homeostat/runtime";
import { runtimeSuite } from "./runtime.suite.ts";

runtimeSuite("system", () => ({
  runtime: createSystemRuntime(),
  pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
runtimeSuite("virtual", () => {
  const runtime = createVirtualRuntime();
  return { runtime, pass: (ms) => runtime.advance(ms) };
});

test("a virtual runtime repeats by seed, and stands still unless it is moved", async () => {
  const bytes = (seed: number): number[] => [...createVirtualRuntime({ seed }).entropy.bytes(16)];
  assert.deepEqual(bytes(7), bytes(7));
  assert.notDeepEqual(bytes(7), bytes(8));
  const { clock } = createVirtualRuntime({ startMs: 5 });
  assert.equal(clock.now(), 5);
  await Promise.resolve();
  assert.equal(clock.now(), 5);
});
