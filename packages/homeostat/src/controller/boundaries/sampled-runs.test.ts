import assert from "node:assert/strict";
import { test } from "node:test";
import { SampledRuns } from "./sampled-runs.ts";

test("the first runs are sampled, then one in fifty", () => {
  const runs = new SampledRuns();
  const sampled = Array.from({ length: 1000 }, () => runs.next());
  assert.ok(sampled.slice(0, 100).every(Boolean));
  assert.equal(sampled.slice(100).filter(Boolean).length, 18);
});
