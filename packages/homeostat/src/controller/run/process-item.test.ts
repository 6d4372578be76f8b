import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { createWorkQueue } from "../../queue/create-workqueue.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { defineController, definitionOf } from "../define-controller.ts";
import { OwnEchoes } from "../echo/own-echoes.ts";
import { LoopDetector } from "../loop/loop-detector.ts";
import { Pauses } from "../pauses.ts";
import { createObjectStates } from "../object-state.ts";
import { parseDuration } from "../../api/duration.ts";
import { ServerPace } from "../../cache/server-pace.ts";
import { LoopWatch } from "../voice/loop-watch.ts";
import { RunVoice } from "../voice/run-voice.ts";
import { RetryPace } from "./retry-pace.ts";
import { Conflicts } from "./conflicts.ts";
import { processItem } from "./process-item.ts";
import type { RunScope } from "./run-scope.ts";
import type { RunnerOptions, RunnerState } from "./runner-state.ts";

const Box = {
  apiVersion: "example.com/v1",
  kind: "Box",
  resource: "boxes",
  scope: "Namespaced",
} as Kind;

/** A runner of one object whose reconcile is `reconcile`. */
function arrange(reconcile: (scope: RunScope) => Promise<void>) {
  const runtime = createVirtualRuntime();
  const queue = createWorkQueue({ runtime });
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  const definition = definitionOf(defineController(Box, { reconcile() {} }));
  const states = createObjectStates({
    controller: "box",
    kind: "Box",
    now: () => runtime.clock.now(),
  });
  const options: unknown = {
    definition,
    runtime,
    queue,
    log: { debug: say, info: say, warn: say, error: say },
    informer: () => ({ entry: () => ({ key: "ns/a", metadataText: () => "" }) }),
  };
  const state: RunnerState = {
    options: options as RunnerOptions,
    states,
    loops: new LoopDetector("laws/box"),
    conflicts: new Conflicts(),
    echoes: new OwnEchoes(queue, () => runtime.clock.now()),
    pauses: new Pauses(),
    echoingKinds: new Set(),
    retries: new RetryPace(new ServerPace(runtime)),
    loopWatch: new LoopWatch({ clock: runtime.clock, isLooping: () => false, ended() {} }),
    voice: new RunVoice({
      log: { debug: say, info: say, warn: say, error: say },
      clock: runtime.clock,
      controller: "box",
      kind: "Box",
      recorder: undefined,
      reference: () => undefined,
    }),
    writeProgress: () => Promise.resolve(),
    stopping: new AbortController().signal,
    timeoutMs: parseDuration(definition.timeout),
    async reconcile(_: unknown, scope: RunScope) {
      await reconcile(scope);
      return { outcome: undefined };
    },
  };
  return { runtime, queue, said, states, state };
}

it("a reconcile that hangs is reported after a minute and abandoned after ten", async () => {
  let release = (): void => {};
  const hung = new Promise<void>((resolve) => (release = resolve));
  const { runtime, queue, said, states, state } = arrange(() => hung);
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
  const { runtime, queue, states, state } = arrange(async (scope) => {
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
  const { runtime, queue, said, state } = arrange(async () => {});
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
