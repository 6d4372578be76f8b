import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiStatusError } from "../../api/status.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { arrangeRunner } from "./arrange-runner.suite.ts";
import { processItem } from "./process-item.ts";
import { TerminalError } from "../outcome.ts";
import type { RunnerState } from "./runner-state.ts";
import type { RunScope } from "./run-scope.ts";

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

/** Runs of 5 keys in 10 s, all of which fail with `error`, and what is known of one meanwhile. */
async function runsWith(error: Error) {
  let runs = 0;
  const { runtime, queue, states, state } = arrangeRunner(async () => {
    runs++;
    throw error;
  });
  for (const name of ["a", "b", "c", "d", "e"]) queue.add(`ns/${name}`);
  const worker = (async () => {
    for (let item = await queue.get(); item; item = await queue.get())
      await processItem(state, item);
  })();
  await runtime.advance(10_000);
  const shown = { queue: queue.explain("ns/a"), state: states.get("ns/a")?.progress };
  await queue.shutDown();
  await worker;
  return { runs, shown };
}

it("keys that fail without a server wait for their turn in place of a back-off", async () => {
  const lost = new HomeostatError("ERR_CLIENT_UNREACHABLE", "nothing listens", { hint: "" });
  const { runs, shown } = await runsWith(new Error("own", { cause: lost }));
  assert.ok(runs > 10 && runs <= 5 + 11, `${runs} in 10 s`);
  assert.equal(shown.queue?.state, "delayed");
  assert.equal(shown.queue?.dueAt, undefined);
  assert.equal(shown.queue?.failures, shown.state?.at === "retrying" && shown.state.failures);
});

it("keys that fail by the user's code are retried by their back-off alone", async () => {
  const { runs } = await runsWith(new TypeError("bar"));
  assert.ok(runs > 40, `${runs} in 10 s`);
});

it("names the step in which a reconcile hangs", async () => {
  const { runtime, queue, said, states, state } = arrangeRunner(() => new Promise(() => {}));
  queue.add("ns/a");
  void processItem(state, (await queue.get())!);
  await runtime.advance(1000);
  states.set("ns/a", { at: "running", step: "dig" });
  await runtime.advance(59_000);
  assert.deepEqual(said, ['reconcile still runs after 1m (in step "dig")']);
  await runtime.advance(540_000);
  assert.match(said[1]!, /did not end within 10m.*in step "dig"/);
});

it("a conflict shows when the object is tried again", async () => {
  const { queue, states, state } = arrangeRunner(async (scope) => {
    const status = { kind: "Status", apiVersion: "v1", code: 409, reason: "Conflict" };
    const conflict = new ApiStatusError(status as never);
    scope.markOvertaken(conflict);
    throw conflict;
  });
  for (let failures = 1; failures <= 2; failures++) {
    queue.add("ns/a");
    await processItem(state, (await queue.get())!);
    const progress = states.get("ns/a")?.progress;
    assert.equal(progress?.at, "retrying");
    assert.equal(progress.failures, failures);
  }
});

const conflictOf = (scope: RunScope): ApiStatusError => {
  const status = { kind: "Status", apiVersion: "v1", code: 409, reason: "Conflict" };
  const conflict = new ApiStatusError(status as never);
  scope.markOvertaken(conflict);
  return conflict;
};
const lost = new HomeostatError("ERR_CLIENT_UNREACHABLE", "nothing listens", { hint: "" });

it("keeps nothing of an object that went while its run failed", async () => {
  const errors: readonly ((scope: RunScope) => Error)[] = [
    () => new Error("a fault"),
    () => new TerminalError("a mistake"),
    () => lost,
    conflictOf,
  ];
  for (const errorOf of errors) {
    let isCached = true;
    const { runtime, queue, said, states, state } = arrangeRunner(
      async (scope) => {
        isCached = isGoing ? false : isCached;
        throw errorOf(scope);
      },
      { isCached: () => isCached },
    );
    let isGoing = true;
    const process = async (): Promise<void> => {
      queue.add("ns/a");
      await processItem(state, (await queue.get())!);
    };
    for (let i = 0; i < 6; i++) {
      isCached = true;
      await process();
      assert.equal(states.get("ns/a"), undefined);
      await runtime.advance(60_000);
      while (queue.depth().ready.size > 0) await processItem(state, (await queue.get())!);
    }
    assert.equal(queue.depth().delayed, 0, "nothing is tried again");
    const before = [...said];
    [isCached, isGoing] = [true, false];
    await process();
    const again = said.slice(before.length).map((line) => line.replace(/ in \d+ ms/, ""));
    const first = before.slice(0, again.length).map((line) => line.replace(/ in \d+ ms/, ""));
    const isTerminal = (line: string): boolean => !line.startsWith("where");
    assert.deepEqual(again.filter(isTerminal), first.filter(isTerminal), "as of a new object");
    const { progress } = states.get("ns/a")!;
    assert.ok(progress.at !== "retrying" || progress.failures === 1);
  }
});
