import assert from "node:assert/strict";
import { test } from "node:test";
import { TrackedPromise } from "./tracked-promise.ts";

test("a result that is never asked for is not awaited, and its rejection ends no process", async () => {
  const unhandled: unknown[] = [];
  const record = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", record);
  const tracked = TrackedPromise.follow(Promise.reject(new Error("lost")));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", record);
  assert.deepEqual(unhandled, []);
  assert.equal(tracked.isAwaited, false);
});

test("await, then, catch and finally ask for the result and receive it", async () => {
  const asked: readonly ((one: Promise<number>) => Promise<unknown>)[] = [
    async (one) => await one,
    (one) => one.then((value) => value),
    (one) => one.catch(() => 0),
    (one) => one.finally(() => {}),
  ];
  for (const ask of asked) {
    const tracked = TrackedPromise.follow(Promise.resolve(3));
    assert.equal(await ask(tracked), 3);
    assert.equal(tracked.isAwaited, true, ask.toString());
  }
  const failing = TrackedPromise.follow(Promise.reject(new Error("refused")));
  await assert.rejects(failing, /refused/);
});

test("promises derived from a tracked one are plain", () => {
  const derived = TrackedPromise.follow(Promise.resolve(1)).then((one) => one);
  assert.equal(derived instanceof TrackedPromise, false);
});
