import assert from "node:assert/strict";
import { it } from "node:test";
import { arrangeRunner } from "./arrange-runner.suite.ts";
import { WorkerLender } from "./lend-worker.ts";

/** Runs that wait for the server until `answer(key)`; `waitsFor: "others"` waits elsewhere. */
function arrange(options: { concurrency?: number; waitsFor?: "others" } = {}) {
  const { waitsFor, ...settings } = options;
  const answers = new Map<string, () => void>();
  const arranged = arrangeRunner(async (scope, key) => {
    const answered = new Promise<void>((resolve) => answers.set(key, resolve));
    if (!waitsFor) scope.requests?.add(answered);
    await answered;
  }, settings);
  const { queue, state } = arranged;
  const lender = new WorkerLender(state);
  void (async () => {
    for (let item = await queue.get(); item; item = await queue.get()) await lender.process(item);
  })();
  return {
    ...arranged,
    lender,
    running: () => [...answers.keys()],
    answer(key: string) {
      answers.get(key)!();
      answers.delete(key);
    },
  };
}

it("a run that waits for the server for a second lends its worker", async () => {
  const { runtime, queue, running, answer } = arrange();
  for (const key of ["ns/a", "ns/b", "ns/c"]) queue.add(key);
  await runtime.advance(999);
  assert.deepEqual(running(), ["ns/a"]);
  await runtime.advance(1);
  assert.deepEqual(running(), ["ns/a", "ns/b"]);
  answer("ns/b");
  await runtime.advance(0);
  assert.deepEqual(running(), ["ns/a", "ns/c"]);
});

it("a run that lent its worker keeps its key, and takes no worker back", async () => {
  const { runtime, queue, running, answer } = arrange();
  for (const key of ["ns/a", "ns/b", "ns/c"]) queue.add(key);
  await runtime.advance(1000);
  queue.add("ns/a");
  assert.equal(queue.explain("ns/a")?.state, "processing, dirty");
  answer("ns/a");
  await runtime.advance(0);
  assert.deepEqual(running(), ["ns/b"], "the only worker is with b");
  answer("ns/b");
  await runtime.advance(0);
  assert.deepEqual(running(), ["ns/c"]);
});

it("runs stay one at a time with an explicit concurrency, and while they wait for others", async () => {
  for (const options of [{ concurrency: 1 }, { waitsFor: "others" }] as const) {
    const { runtime, queue, running } = arrange(options);
    for (const key of ["ns/a", "ns/b"]) queue.add(key);
    await runtime.advance(30_000);
    assert.deepEqual(running(), ["ns/a"]);
  }
});

it("requests that are answered in time do not add up", async () => {
  const { runtime, queue, state } = arrangeRunner(async (scope) => {
    for (let i = 0; i < 20; i++) {
      const answered = new Promise<void>((resolve) => runtime.clock.timer(300, resolve));
      scope.requests?.add(answered);
      await answered;
    }
  });
  queue.add("ns/a");
  let isFree = false;
  const lender = new WorkerLender(state);
  void lender.process((await queue.get())!).then(() => (isFree = true));
  await runtime.advance(5900);
  assert.equal(isFree, false);
  await runtime.advance(200);
  assert.equal(isFree, true);
});

it("at most eight runs lend their worker", async () => {
  const { runtime, queue, running, answer } = arrange();
  for (let i = 0; i < 20; i++) queue.add(`ns/${i}`);
  await runtime.advance(60_000);
  assert.equal(running().length, 9);
  answer("ns/3");
  await runtime.advance(1000);
  assert.equal(running().length, 9);
  assert.ok(running().includes("ns/9"));
});

it("the end of the lent runs can be awaited", async () => {
  const { runtime, queue, lender, answer } = arrange();
  queue.add("ns/a");
  await runtime.advance(1000);
  let isSettled = false;
  void lender.settled().then(() => (isSettled = true));
  await runtime.advance(1000);
  assert.equal(isSettled, false);
  answer("ns/a");
  await runtime.advance(0);
  assert.equal(isSettled, true);
});
