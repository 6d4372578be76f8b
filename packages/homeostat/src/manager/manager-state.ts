// What the parts of a manager share.
import type { ContestedObjects } from "../cache/contested-objects.ts";
import type { Cache } from "../cache/index.ts";
import type { ControllerRunner } from "../controller/controller-runner.ts";
import type { ControllerDefinition, ReconcileLog } from "../controller/define-controller.ts";
import type { ControllerNames } from "../controller/names.ts";
import type { WriteChains } from "../controller/loop/write-chains.ts";
import type { StatusTurns } from "../controller/status-turns.ts";
import type { Narrowing } from "../controller/watching/narrow-kinds.ts";
import type { EventRecorder } from "../events/index.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Webhooks } from "../webhook/create-webhooks.ts";
import type { Terms } from "./election/terms.ts";
import type { CountedController } from "./metrics/counted-controller.ts";
import type { ClusterManagerOptions } from "./manager-options.ts";
import type { WatchedScope } from "./scope/watched-scope.ts";
import type { StopDeadline } from "./stopping/stop-deadline.ts";
import type { ControllerStart, DeclaredRunner } from "./start-controllers.ts";

/** The state of a manager. */
export interface ManagerState {
  readonly options: ClusterManagerOptions;
  readonly definitions: readonly ControllerDefinition[];
  readonly names: ReadonlyMap<ControllerDefinition, ControllerNames>;
  /** Aborts when the manager is asked to stop. */
  readonly stopping: AbortController;
  /** Until when a stop waits. */
  readonly deadline: StopDeadline;
  readonly runtime: Runtime;
  readonly cache: Cache;
  /** Of each runner. */
  readonly recorders: Map<ControllerRunner, EventRecorder>;
  readonly scope: WatchedScope;
  readonly narrowing: Narrowing;
  readonly statusTurns: StatusTurns;
  readonly writeChains: WriteChains;
  readonly contested: ContestedObjects;
  /** The metrics of controllers, where they are counted. */
  readonly counted: Map<ControllerDefinition, CountedController>;
  runners: readonly ControllerRunner[];
  starting?: ControllerStart;
  /** Its controllers have been stopped, also because its start has failed. */
  hasEnded?: true;
  /** The elections or memberships, where there are any. */
  leadership?: Terms;
  /** The controllers that work during the present or next term only. */
  elected: readonly DeclaredRunner[];
  /** Silent until the start. */
  log: ReconcileLog;
  freshnessLog?: { stop(): void };
  webhooks?: Webhooks;
  /** Says once that all controllers work. */
  sayStarted(): void;
  /** Stops the manager because of this error, with which `run` rejects. */
  end(error: Error): void;
}
