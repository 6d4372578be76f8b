import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "homeostat/k8s/batch/v1";
import { timeLeftMs } from "./ttl-after-finished.ts";

const now = Date.parse("2026-01-01T01:00:00Z");
const job = (ttlSecondsAfterFinished?: number, more: object = {}): Job =>
  ({
    metadata: more,
    spec: { ttlSecondsAfterFinished },
    status: {
      conditions: [{ type: "Failed", status: "True", lastTransitionTime: "2026-01-01T00:59:50Z" }],
    },
  }) as unknown as Job;

test("counts from the end of the job, complete or failed", () => {
  assert.equal(timeLeftMs(job(30), now), 20_000);
  assert.equal(timeLeftMs(job(5), now), -5000);
});

test("leaves jobs without a TTL, unfinished jobs and jobs that are being deleted", () => {
  assert.equal(timeLeftMs(job(), now), undefined);
  assert.equal(timeLeftMs({ ...job(5), status: {} }, now), undefined);
  assert.equal(timeLeftMs(job(5, { deletionTimestamp: "2026-01-01T00:59:55Z" }), now), undefined);
});
