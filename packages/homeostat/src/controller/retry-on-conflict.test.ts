import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiStatusError } from "../api/status.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import {
  defaultBackoff,
  retryOnConflict,
  type RetryOnConflictOptions,
} from "./retry-on-conflict.ts";

const failure = (code: number, reason: "Conflict" | "Forbidden"): ApiStatusError =>
  new ApiStatusError({
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    code,
    reason,
  } as never);

/** Runs a write that fails `failures` times; resolves to the times of its attempts in ms. */
async function attempts(
  failures: number,
  error: unknown,
  options: RetryOnConflictOptions = {},
): Promise<{ readonly at: readonly number[]; readonly result: unknown }> {
  const runtime = createVirtualRuntime();
  const at: number[] = [];
  const done = retryOnConflict(
    async (attempt) => {
      assert.equal(attempt, at.length);
      at.push(Math.round(runtime.clock.monotonic() / 10) * 10);
      if (attempt < failures) throw error;
      return "written";
    },
    { runtime, ...options },
  ).catch((thrown: unknown) => thrown);
  await runtime.advance(2000);
  return { at, result: await done };
}

it("tries five times by default, and rejects with the conflict", async () => {
  const conflict = failure(409, "Conflict");
  assert.deepEqual(await attempts(2, conflict), { at: [0, 10, 20], result: "written" });
  assert.deepEqual(await attempts(9, conflict), { at: [0, 10, 20, 30, 40], result: conflict });
});

it("pauses longer each time under defaultBackoff", async () => {
  const { at } = await attempts(9, failure(409, "Conflict"), { backoff: defaultBackoff });
  assert.equal(at.length, 4);
  for (const [i, [from, to]] of (
    [
      [0, 0],
      [10, 11],
      [60, 70],
      [310, 350],
    ] as const
  ).entries())
    assert.ok(at[i]! >= from && at[i]! <= to, `attempt ${i} at ${at[i]} ms`);
});

it("does not repeat other failures, nor after its signal has aborted", async () => {
  const forbidden = failure(403, "Forbidden");
  assert.deepEqual(await attempts(9, forbidden), { at: [0], result: forbidden });
  const conflict = failure(409, "Conflict");
  const signal = AbortSignal.abort();
  assert.deepEqual(await attempts(9, conflict, { signal }), { at: [0], result: conflict });
});
