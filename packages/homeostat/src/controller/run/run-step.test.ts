import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { runStep, type Step } from "./run-step.ts";
import { RunScope } from "./run-scope.ts";

function arrange() {
  const { clock, ...runtime } = createVirtualRuntime();
  const deadline = new AbortController();
  const scope = new RunScope({ title: "Box n/a", deadline: deadline.signal, late() {} });
  const steps: (string | undefined)[] = [];
  const stepping = (name: string | undefined): void => void steps.push(name);
  const run = <T>(work: Step<T>["work"], timeout?: string | number) =>
    runStep({ clock, scope, stepping }, { name: "dig", work, timeout });
  return { ...runtime, run, scope, deadline, steps };
}

const fails = (message: RegExp, cause?: unknown) => (error: unknown) =>
  isHomeostatError(error, "ERR_STEP") && message.test(error.message) && error.cause === cause;

test("a step returns its value, and shows while it runs", async () => {
  const { run, steps } = arrange();
  assert.equal(await run(async () => 3), 3);
  assert.deepEqual(steps, ["dig", undefined]);
});

test("a step that fails or throws names itself and the cause", async () => {
  const { run } = arrange();
  const error = new Error("rock");
  const failed = fails(/: step "dig" of Box n\/a failed: .*rock/, error);
  await assert.rejects(
    run(() => Promise.reject(error)),
    failed,
  );
  await assert.rejects(
    run(() => {
      throw error;
    }),
    failed,
  );
});

test("a step that exceeds its deadline aborts, and is held until it settles", async () => {
  for (const [timeout, said] of [
    ["2s", "2s"],
    [2000, "2000 ms"],
  ] as const) {
    const { run, advance, scope } = arrange();
    const work = Promise.withResolvers<void>();
    let signal: AbortSignal | undefined;
    const result = run((given) => {
      signal = given;
      return work.promise;
    }, timeout);
    const rejected = assert.rejects(result, fails(new RegExp(`took longer than ${said}$`)));
    await advance(1999);
    assert.equal(signal!.aborted, false);
    await advance(10_000);
    await rejected;
    assert.equal(signal!.aborted, true);
    assert.deepEqual(scope.open(), ['step("dig")']);
    work.resolve();
    await scope.settled();
  }
});

test("a step that ignores the end of its run is abandoned, and no longer shows", async () => {
  const { run, advance, deadline, steps } = arrange();
  const result = run(() => new Promise(() => {}));
  const rejected = assert.rejects(result, fails(/did not stop when its signal aborted/));
  deadline.abort(new Error("the manager is shutting down"));
  await advance(60_000);
  await rejected;
  assert.deepEqual(steps, ["dig"]);
});
