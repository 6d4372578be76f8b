// What follows the runs of a controller as spans.
import type { CompletedWrite } from "../../client/client.ts";
import type { WorkTrace } from "../../client/write-context.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import type { RunResult } from "./run-observer.ts";

/** Follows the runs of one controller. Must not throw. */
export interface RunTracer {
  /** Undefined when nothing of the run is to be followed. */
  begin(item: QueueItem): RunTrace | undefined;
}

/** Follows one run. */
export interface RunTrace extends WorkTrace {
  /** Runs its code. */
  run<T>(work: () => T): T;
  wrote(write: CompletedWrite): void;
  ended(result: RunResult, error: unknown): void;
}
