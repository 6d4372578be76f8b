// Parameters of a reconcile: the dependencies shared by all reconciles of a controller.
import type { Kind } from "../api/kind.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../events/index.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Breaches } from "./boundaries/breaches.ts";
import type { ThrownResults } from "./run/thrown-results.ts";
import type { SampledRuns } from "./boundaries/sampled-runs.ts";
import type { ControllerDefinition, ReconcileLog } from "./define-controller.ts";
import type { OwnMemory } from "./own/own-memory.ts";
import type { PhaseCalls } from "./phase-machine/phase-calls.ts";
import type { SharedApplies } from "./shared/shared-applies.ts";
import type { Signal } from "./signals/signal.ts";
import type { KeyShards } from "./shard/key-shards.ts";
import type { StatusTurns } from "./status-turns.ts";
import type { WarnOnce } from "./warn-once.ts";
import type { ControllerNames } from "./names.ts";
import type { DynamicWatches } from "./watching/dynamic-watches.ts";
import type { Narrowing } from "./watching/narrow-kinds.ts";
import type { NamespaceScope } from "./watching/namespace-scope.ts";

/** Dependencies of every reconcile of a controller. */
export interface ReconcileDependencies {
  readonly definition: ControllerDefinition;
  /** The cluster of the objects, where there are several. */
  readonly cluster?: string | undefined;
  readonly names: ControllerNames;
  readonly runtime: Runtime;
  readonly client: Client;
  /** Which objects are this process's, where replicas share them. */
  readonly shards?: KeyShards | undefined;
  readonly log: ReconcileLog;
  readonly primary: Informer;
  /** What the informers watch. */
  readonly namespaces: NamespaceScope;
  informer(kind: Kind): Informer | undefined;
  readonly narrowing: Narrowing;
  readonly dynamicWatches: DynamicWatches;
  readonly ownMemory: OwnMemory;
  readonly sharedApplies: SharedApplies;
  readonly phaseCalls: PhaseCalls;
  /** Of all controllers of the manager. */
  readonly statusTurns: StatusTurns;
  readonly warnings: WarnOnce;
  readonly breaches: Breaches;
  /** The conditions Reconciling and Stalled are kept. */
  readonly keepsConditions: boolean;
  /** Reads of labels and annotations are observed: of all runs, of none, or of some. */
  readonly observesMetadata: boolean | undefined;
  readonly sampledRuns: SampledRuns;
  readonly thrownResults: ThrownResults;
  /** Of the reconciled kind's controller; Events that the user's code records go through it. */
  readonly recorder: EventRecorder;
  /** What was reported about the loop that an object is in; undefined when it is in none. */
  loopOf(key: string): string | undefined;
  /** The signal on an object that is still set after its time; undefined when there is none. */
  overdueOf(key: string): string | undefined;
  readonly signals: readonly Signal[];
  /** Called with the current step of the user's work. */
  stepping(key: string, step: string | undefined): void;
}
