// The user's priorities on their way into the queue.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CachedObject } from "../cache/informer.ts";
import type { AddOptions, WorkQueue } from "../queue/workqueue.ts";
import { prioritised } from "./priority.ts";
import { WarnOnce } from "./warn-once.ts";

type Ask = Parameters<typeof prioritised>[0]["priorityOf"];

function arrange(priorityOf: Ask, object: object | null = { name: "a" }) {
  const added: (readonly [string, string, AddOptions | undefined])[] = [];
  const warned: string[] = [];
  const warn = (message: string): void => void warned.push(message);
  const queue = prioritised({
    queue: {
      add: (key: string, options?: AddOptions) => void added.push(["add", key, options]),
      addRateLimited(key: string, options?: AddOptions) {
        added.push(["addRateLimited", key, options]);
        return 7;
      },
      isIdle: () => true,
    } as unknown as WorkQueue,
    controller: "box",
    priorityOf,
    entry: () => (object ?? undefined) as CachedObject | undefined,
    warnings: new WarnOnce({ debug: warn, info: warn, warn, error: warn }),
  });
  return { queue, added, warned };
}

test("every addition has the user's priority, and all else as it was", () => {
  const asked: unknown[] = [];
  const { queue, added } = arrange(({ source, priority }) => {
    asked.push([source, priority]);
    return priority + 1;
  });
  const cause = { what: "Box changed", source: "itself" };
  queue.add("n/a");
  queue.add("n/a", { priority: 5, cause, afterMs: 10 });
  assert.equal(queue.addRateLimited("n/a"), 7, "the back-off");
  assert.equal(queue.addRateLimited("n/a", { priority: -100, cause }), 7);
  assert.deepEqual(added, [
    ["add", "n/a", { priority: 1 }],
    ["add", "n/a", { priority: 6, cause, afterMs: 10 }],
    ["addRateLimited", "n/a", { priority: 1 }],
    ["addRateLimited", "n/a", { priority: -99, cause }],
  ]);
  assert.deepEqual(asked, [
    ["", 0],
    ["itself", 5],
    ["", 0],
    ["itself", -100],
  ]);
  assert.equal(queue.isIdle(), true);
});

test("the default stays where nothing is returned, and for an object that is unknown or mismatched", () => {
  const mismatch = { message: "x", isInSpec: true };
  const fails = (): never => {
    throw new Error("of a mismatched object");
  };
  for (const [ask, object] of [
    [() => undefined, { name: "a" }],
    [() => 9, null],
    [() => 9, { mismatch }],
    [() => 0.5, { mismatch }],
    [fails, { mismatch }],
  ] as const) {
    const { queue, added, warned } = arrange(ask, object);
    queue.add("n/a", { priority: 3 });
    assert.deepEqual(added, [["add", "n/a", { priority: 3 }]]);
    assert.deepEqual(warned, []);
  }
});

test("what is no whole number is named once, and the default is used", () => {
  const { queue, added, warned } = arrange((() => Promise.reject(new Error("late"))) as never);
  for (const priority of [3, 4]) queue.add("n/a", { priority });
  assert.deepEqual(
    added.map(([, , options]) => options?.priority),
    [3, 4],
  );
  assert.deepEqual(warned, [
    '`priority` of "box" returned a promise, expected a whole number; the default is used',
  ]);
});
