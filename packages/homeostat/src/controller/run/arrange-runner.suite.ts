// A runner's state around one reconcile, on a virtual clock.
import type { Kind } from "../../api/kind.ts";
import { createWorkQueue } from "../../queue/create-workqueue.ts";
import type { Rate } from "../../queue/token-bucket.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { defineController, definitionOf } from "../define-controller.ts";
import { Breaches } from "../boundaries/breaches.ts";
import { OwnEchoes } from "../echo/own-echoes.ts";
import { ContestedObjects } from "../../cache/contested-objects.ts";
import { LoopDetector } from "../loop/loop-detector.ts";
import { WriteChains } from "../loop/write-chains.ts";
import { Pauses } from "../pauses.ts";
import { createObjectStates } from "../object-state.ts";
import { parseDuration } from "../../api/duration.ts";
import { ServerPace } from "../../client/server-pace.ts";
import { OverdueSignals } from "../signals/overdue-signals.ts";
import { LoopWatch } from "../voice/loop-watch.ts";
import { RunVoice } from "../voice/run-voice.ts";
import { Conflicts } from "./conflicts.ts";
import type { RunScope } from "./run-scope.ts";
import type { RunnerOptions, RunnerState } from "./runner-state.ts";
import { DynamicWatches } from "../watching/dynamic-watches.ts";
import { Turns } from "./turns.ts";

const Box = {
  apiVersion: "example.com/v1",
  kind: "Box",
  resource: "boxes",
  scope: "Namespaced",
} as Kind;

/** A runner whose reconcile is `reconcile`. */
export function arrangeRunner(
  reconcile: (scope: RunScope, key: string) => Promise<void>,
  {
    isCached = () => true,
    ...settings
  }: {
    readonly concurrency?: number;
    readonly retryRate?: Rate;
    /** Whether the object of a key exists. */
    readonly isCached?: () => boolean;
  } = {},
) {
  const runtime = createVirtualRuntime();
  const { retryRate } = settings;
  const queue = createWorkQueue({ runtime, ...(retryRate ? { retryRate } : {}) });
  const said: string[] = [];
  const say = (message: string): void => void said.push(message);
  const definition = definitionOf(defineController(Box, { ...settings, reconcile() {} }));
  const states = createObjectStates({
    controller: "box",
    kind: "Box",
    now: () => runtime.clock.now(),
  });
  const options: unknown = {
    definition,
    runtime,
    queue,
    writeChains: new WriteChains(),
    contested: new ContestedObjects(),
    log: { debug: say, info: say, warn: say, error: say },
    informer: () => ({
      entry: (key: string) => (isCached() ? { key, metadataText: () => "" } : undefined),
    }),
  };
  const state: RunnerState = {
    options: options as RunnerOptions,
    states,
    loops: new LoopDetector("laws/box"),
    conflicts: new Conflicts(),
    echoes: new OwnEchoes(queue, () => runtime.clock.now()),
    pauses: new Pauses(),
    echoingKinds: new Set(),
    turns: new Turns(new ServerPace(runtime)),
    loopWatch: new LoopWatch({ clock: runtime.clock, isLooping: () => false, ended() {} }),
    voice: new RunVoice({
      log: { debug: say, info: say, warn: say, error: say },
      clock: runtime.clock,
      controller: "box",
      kind: "Box",
      recorder: undefined,
      reference: () => undefined,
    }),
    breaches: new Breaches("box", () => {}),
    overdueSignals: new OverdueSignals({ signals: [] } as never),
    dynamicWatches: new DynamicWatches({} as never),
    progress: { write: async () => {}, unloop() {}, ran() {}, settled: async () => {} },
    stopping: new AbortController().signal,
    timeoutMs: parseDuration(definition.timeout),
    async reconcile({ key }, scope: RunScope) {
      await reconcile(scope, key);
      return { outcome: undefined };
    },
  };
  return { runtime, queue, said, states, state };
}
