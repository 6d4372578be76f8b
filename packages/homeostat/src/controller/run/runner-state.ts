// What the workers of one controller share.
import type { Kind } from "../../api/kind.ts";
import type { Informer, InformerLease } from "../../cache/informer.ts";
import type { Client } from "../../client/client.ts";
import type { QueueItem, WorkQueue } from "../../queue/workqueue.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { ControllerDefinition, ReconcileLog, Reports } from "../define-controller.ts";
import type { Breaches } from "../boundaries/breaches.ts";
import type { OwnEchoes } from "../echo/own-echoes.ts";
import type { Pauses } from "../pauses.ts";
import type { LoopDetector } from "../loop/loop-detector.ts";
import type { ContestedObjects } from "../../cache/contested-objects.ts";
import type { WriteChains } from "../loop/write-chains.ts";
import type { ControllerNames } from "../names.ts";
import type { KeyShards } from "../shard/key-shards.ts";
import type { ObjectState, ObjectStates } from "../object-state.ts";
import type { Reconciled } from "../reconcile.ts";
import type { Turns } from "./turns.ts";
import type { EventRecorder } from "../../events/index.ts";
import type { LoopWatch } from "../voice/loop-watch.ts";
import type { RunVoice } from "../voice/run-voice.ts";
import type { ProgressWrites } from "../voice/progress-writes.ts";
import type { Conflicts } from "./conflicts.ts";
import type { NamespaceScope } from "../watching/namespace-scope.ts";
import type { AttemptObserver } from "./attempt-observer.ts";
import type { RunObserver } from "./run-observer.ts";
import type { RunTracer } from "./run-tracer.ts";
import type { RunScope } from "./run-scope.ts";
import type { OverdueSignals } from "../signals/overdue-signals.ts";
import type { StatusTurns } from "../status-turns.ts";
import type { DynamicWatches } from "../watching/dynamic-watches.ts";
import type { Narrowing } from "../watching/narrow-kinds.ts";
import type { Signal } from "../signals/signal.ts";

/** Options of a runner. The informers belong to the caller. */
export interface RunnerOptions {
  readonly definition: ControllerDefinition;
  /** The cluster of the objects, where there are several. */
  readonly cluster?: string | undefined;
  readonly names: ControllerNames;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly queue: WorkQueue;
  /** It may wait long for its start, holding keys. */
  readonly standsBy?: boolean;
  /** Which keys are this process's, where replicas share them. */
  readonly shards?: KeyShards | undefined;
  readonly log: ReconcileLog;
  /** What the informers watch. */
  readonly namespaces: NamespaceScope;
  informer(kind: Kind): Informer;
  /** The informer of a kind that is watched for a while. */
  lease(kind: Kind): InformerLease;
  readonly narrowing: Narrowing;
  /** Events go through it. */
  readonly recorder: EventRecorder;
  /** What is reported of progress and failures on the objects. */
  readonly reports: Reports & Required<Omit<Reports, "metadata">>;
  /** Of all controllers of the manager. */
  readonly statusTurns: StatusTurns;
  /** Of all controllers of the manager. */
  readonly writeChains: WriteChains;
  /** The objects that other writers change back, shared by the controllers of a manager. */
  readonly contested: ContestedObjects;
  /** Of all controllers of the manager. */
  readonly signals: readonly Signal[];
  /** Those with a limit that this controller reports. */
  readonly limitedSignals: readonly Signal[];
  /** Follows the runs as spans. */
  readonly tracer?: RunTracer | undefined;
  /** Records the runs. */
  readonly attempts?: AttemptObserver | undefined;
  /** Counts the runs. */
  readonly observer?: RunObserver | undefined;
  /** Called for every change of an object's state. */
  readonly changed?: (state: ObjectState) => void;
}

/** The state of a runner, for its workers. */
export interface RunnerState {
  readonly options: RunnerOptions;
  readonly states: ObjectStates;
  readonly stopping: AbortSignal;
  readonly loops: LoopDetector;
  /** Keys that wait for the server. */
  readonly turns: Turns;
  readonly pauses: Pauses;
  readonly echoes: OwnEchoes;
  /** The kinds whose changes wake the controller and may be its own. */
  readonly echoingKinds: ReadonlySet<string>;
  readonly conflicts: Conflicts;
  readonly loopWatch: LoopWatch;
  readonly voice: RunVoice;
  readonly breaches: Breaches;
  readonly overdueSignals: OverdueSignals;
  readonly dynamicWatches: DynamicWatches;
  readonly timeoutMs: number;
  /** Shows on the object what no run can say. */
  readonly progress: Pick<ProgressWrites, "write" | "unloop" | "ran" | "settled">;
  reconcile(item: QueueItem, scope: RunScope): Promise<Reconciled>;
}

/** True while the informer has an object of this key. */
export function isCached({ definition, informer }: RunnerOptions, key: string): boolean {
  return informer(definition.kind).entry(key) !== undefined;
}

/** False for what another replica reconciles. */
export const isOwnKey = ({ shards }: RunnerOptions, key: string): boolean =>
  shards?.has(key) !== false;
