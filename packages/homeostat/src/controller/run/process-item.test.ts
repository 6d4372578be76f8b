import assert from "node:assert/strict";
import { it } from "node:test";
import { arrangeRunner } from "./arrange-runner.suite.ts";
import { processItem } from "./process-item.ts";
import type { RunnerState } from "./runner-state.ts";

it("a reconcile that hangs is reported after a minute and abandoned after ten", async () => {
  let release = (): void => {};
  const hung = new Promise<void>((resolve) => (release = resolve));
  const { runtime, queue, said, states, state } = arrangeRunner(() => hung);
  queue.add("ns/a");
  const worked = processItem(state, (await queue.get())!);
  await runtime.advance(59_999);
  assert.deepEqual(said, []);
  await runtime.advance(1);
  assert.deepEqual(said, ["reconcile still runs after 1m"]);
  assert.equal(states.get("ns/a")?.progress.at, "running");
  await runtime.advance(540_000);
  await worked;
  assert.match(said[1]!, /^abandoned: reconcile did not end within 10m/);
  assert.equal(states.get("ns/a")?.progress.at, "stalled");
  assert.equal(queue.depth().processing, 1, "the key stays in quarantine");
  release();
  await runtime.advance(10);
  assert.equal(queue.depth().processing, 0);
});

it("work that outlives its reconcile keeps the key, and shows after a second", async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const { runtime, queue, states, state } = arrangeRunner(async (scope) => {
    void scope.hold('step("dig")', held);
    throw new Error("too late");
  });
  queue.add("ns/a");
  await processItem(state, (await queue.get())!);
  assert.equal(states.get("ns/a")?.progress.at, "retrying");
  await runtime.advance(1000);
  assert.deepEqual(states.get("ns/a")?.progress, {
    at: "stalled",
    because: 'waiting for step("dig") of the last reconcile to settle',
  });
  assert.equal(queue.depth().processing, 1);
  release();
  await runtime.advance(0);
  assert.equal(queue.depth().processing, 0);
  assert.equal((await queue.get())?.key, "ns/a");
});

it("an error of the runtime itself loses no key", async () => {
  const { runtime, queue, said, state } = arrangeRunner(async () => {});
  const broken = {
    ...state,
    loops: {
      delayMs() {
        throw new Error("a bug");
      },
    },
  } as unknown as RunnerState;
  queue.add("ns/a");
  await processItem(broken, (await queue.get())!);
  assert.deepEqual(said, ["processing failed: a bug"]);
  await runtime.advance(10);
  assert.equal((await queue.get())?.key, "ns/a");
});
