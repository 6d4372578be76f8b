import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import type { Manager } from "./manager-options.ts";
import { runUntilAsked } from "./run-until-asked.ts";

/** @param ending how a stop ends, by default at once; it is given what a hurried one resolves */
function arrange(
  start: () => Promise<void> = async () => {},
  ending: (hurried: Promise<void>) => Promise<void> = async () => {},
) {
  const runtime = createVirtualRuntime();
  const stopped = Promise.withResolvers<void>();
  const calls: string[] = [];
  const stopping = new AbortController();
  const manager = {
    start: () => (calls.push("start"), start()),
    stop: async (options?: { readonly timeoutMs?: number }) => {
      stopping.abort();
      calls.push(options?.timeoutMs === undefined ? "stop" : `stop in ${options.timeoutMs} ms`);
      await (options ? stopped.resolve() : ending(stopped.promise));
    },
  } as unknown as Manager;
  const run = (options?: Parameters<Manager["run"]>[0]) =>
    runUntilAsked(manager, options, { stopping: stopping.signal, runtime });
  return { manager, calls, run, runtime };
}
const listeners = (): number => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
const tick = () => new Promise((resolve) => setImmediate(resolve));

test("runs until a signal comes, by AbortSignal or from the system, and listens no longer", async () => {
  const before = listeners();
  const asks: readonly ((abort: AbortController) => void)[] = [
    (abort) => abort.abort(),
    () => process.emit("SIGINT"),
    () => process.emit("SIGTERM"),
  ];
  for (const ask of asks) {
    const { calls, run } = arrange();
    const abort = new AbortController();
    const running = run({ signal: abort.signal });
    await tick();
    assert.equal(listeners(), before + 2);
    assert.deepEqual(calls, ["start"]);
    ask(abort);
    await running;
    assert.deepEqual(calls, ["start", "stop"]);
    assert.equal(listeners(), before);
  }
});

test("stops also while it starts, and when it was asked before", async () => {
  for (const isAborted of [true, false]) {
    const { calls, run } = arrange(() => new Promise(() => {}));
    const abort = new AbortController();
    if (isAborted) abort.abort();
    const running = run({ signal: abort.signal });
    await tick();
    abort.abort();
    await running;
    assert.deepEqual(calls, ["start", "stop"]);
  }
});

test("a start that fails stops what had begun, and is the run's error", async () => {
  const before = listeners();
  const { calls, run } = arrange(() => Promise.reject(new Error("refused")));
  await assert.rejects(run(), /refused/);
  assert.deepEqual(calls, ["start", "stop"]);
  assert.equal(listeners(), before);
});

test("refuses a signal that is none, before anything starts", async () => {
  const { calls, run } = arrange();
  await assert.rejects(run({ signal: "SIGTERM" as never }), {
    message: "ERR_MANAGER_OPTIONS: running a manager: signal is 'SIGTERM', expected an AbortSignal",
  });
  await assert.rejects(run(null as never), /^HomeostatError: ERR_ARGUMENT: manager\.run\(…\): /);
  assert.deepEqual(calls, []);
});

test("ends when the manager is stopped by others, while it starts and later", async () => {
  for (const start of [async () => {}, () => new Promise<void>(() => {})]) {
    const before = listeners();
    const { manager, run } = arrange(start);
    const running = run();
    await tick();
    await manager.stop();
    await running;
    assert.equal(listeners(), before);
  }
});

test("a second signal cuts the stop, unless it comes with the first", async () => {
  const before = listeners();
  const { calls, run, runtime } = arrange(undefined, (hurried) => hurried);
  const running = assert.rejects(run(), {
    message: "ERR_MANAGER_CUT: stopping the manager: cut by a second SIGTERM",
  });
  await tick();
  process.emit("SIGINT");
  await tick();
  assert.equal(listeners(), before + 2);
  process.emit("SIGINT", "SIGINT");
  await runtime.advance(499);
  process.emit("SIGINT", "SIGINT");
  assert.deepEqual(calls, ["start", "stop"]);
  await runtime.advance(1);
  process.emit("SIGTERM", "SIGTERM");
  assert.equal(listeners(), before, "a third one ends the process");
  await running;
  assert.deepEqual(calls, ["start", "stop", "stop in 0 ms"]);
});
