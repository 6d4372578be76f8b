// Every way in which a run is retried keeps to the controller's rate and to the run's priority.
import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiStatusError } from "../../api/status.ts";
import { arrangeRunner } from "./arrange-runner.suite.ts";
import { processItem } from "./process-item.ts";

const status = (code: number): ApiStatusError =>
  new ApiStatusError({ kind: "Status", code, reason: "no", message: "no" } as never);

const failures = {
  "an error": () => new Error("no"),
  "a fault of the server": () => status(503),
  "a conflict": () =>
    new ApiStatusError({ kind: "Status", code: 409, reason: "Conflict" } as never),
};

for (const [what, error] of Object.entries(failures))
  it(`${what}: the second object is retried when the rate allows it`, async () => {
    const rate = { qps: 0.1, burst: 1 };
    const { runtime, queue, state } = arrangeRunner(() => Promise.reject(error()), {
      retryRate: rate,
    });
    for (const key of ["ns/a", "ns/b"]) queue.add(key, { priority: -100 });
    for (const item of [await queue.get(), await queue.get()]) await processItem(state, item!);
    const reports = ["ns/a", "ns/b"].map((key) => queue.explain(key)!);
    assert.deepEqual(
      reports.map(({ priority }) => priority),
      [-100, -100],
    );
    await runtime.advance(9000);
    assert.equal((await queue.get())?.key, "ns/a");
    assert.equal(queue.depth().delayed, 1, "b waits for its token");
    await runtime.advance(1000);
    assert.equal((await queue.get())?.key, "ns/b");
  });
