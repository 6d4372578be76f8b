// What records the attempts of a controller, for introspection.
import type { ApiRequest, CompletedWrite } from "../../client/client.ts";
import type { QueueItem } from "../../queue/workqueue.ts";
import type { ObjectState } from "../object-state.ts";
import type { RunResult } from "./run-observer.ts";

/** Follows the attempts of one controller. Must not throw. */
export interface AttemptObserver {
  begin(item: QueueItem): Attempt;
}

/** How an attempt has ended. */
export interface AttemptEnd {
  readonly result: RunResult;
  /** What follows from it; undefined when the object is gone. */
  readonly state: ObjectState | undefined;
  /** What was thrown. */
  readonly error: unknown;
}

/** Follows one attempt to reconcile an object. */
export interface Attempt {
  /** A `step(…)` has ended. */
  stepped(name: string, step: { readonly tookMs: number; readonly hasFailed: boolean }): void;
  /** A request of its code has been answered with this status, or not at all: 0. */
  answered(request: ApiRequest, code: number): void;
  wrote(write: CompletedWrite): void;
  ended(end: AttemptEnd): void;
}
