// One attempt to reconcile an object, as it is kept: what has happened, without contents of
// objects, and never more than a few kilobytes.
import type { Progress } from "../../../controller/object-state.ts";
import type { RunResult } from "../../../controller/run/run-observer.ts";
import type { RecordedCause } from "../../../queue/workqueue.ts";

/** Entries that are kept of each list of an attempt; the rest is counted. */
export const mostListed = 16;

/** Characters that are kept of a text. */
const longest = 1000;

/** Whose attempts are recorded. */
export interface RecordedController {
  readonly name: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** Plural, e.g. `deployments`. */
  readonly resource: string;
  /** Undefined with a manager of one client. */
  readonly cluster: string | undefined;
}

/** A step that has ended. */
export interface RecordedStep {
  readonly name: string;
  readonly tookMs: number;
  readonly failed?: true;
}

/** A request that changes something, or would have. */
export interface RecordedWrite {
  /** As in RBAC and audit logs; `apply` for server-side apply. */
  readonly verb: string;
  /** e.g. `apps/v1 deployments/scale` */
  readonly resource: string;
  readonly namespace?: string;
  name?: string;
  /** The status of the answer; 0 without one. */
  readonly code: number;
  /** What it left behind. */
  resourceVersion?: string;
  /** The fields that an apply or a patch sent. */
  readonly paths?: readonly string[];
  readonly morePaths?: number;
  /** Of the body of a create or update: equal bodies have equal ones, in this process. */
  readonly hash?: string;
}

/** What was thrown. */
export interface RecordedError {
  /** Equal for errors that differ in names, numbers and times only. */
  readonly fingerprint: string;
  /** e.g. `ERR_STEP`, or the reason of the API server. */
  readonly code?: string;
  readonly message: string;
  readonly hint?: string;
}

/** What followed; `gone` when the object was. */
export interface RecordedState {
  readonly at: Progress["at"] | "gone";
  /** What it waits for, or why it is tried again. */
  readonly because?: string;
  /** Wall time in ms of the next attempt. */
  readonly nextAt?: number;
}

/** One attempt. */
export interface RecordedAttempt {
  /** Counts up in this process. */
  readonly id: number;
  readonly of: RecordedController;
  /** `namespace/name` or `name`. */
  readonly key: string;
  /** 1, or more after failures in a row. */
  readonly attempt: number;
  /** Wall time in ms. */
  readonly beganAt: number;
  readonly tookMs: number;
  readonly causes: readonly RecordedCause[];
  readonly droppedCauses: number;
  readonly result: RunResult;
  readonly state: RecordedState;
  readonly error: RecordedError | undefined;
  readonly steps: readonly RecordedStep[];
  readonly moreSteps: number;
  readonly writes: readonly RecordedWrite[];
  readonly moreWrites: number;
}

/** The text, or its beginning. A slice would keep all of the text that it comes from. */
export const cut = (text: string): string =>
  text.length <= longest ? text : `${Buffer.from(text.slice(0, longest)).toString()}…`;

/** The cause, with short texts. */
export function cutCause(cause: RecordedCause): RecordedCause {
  const { what, source, object } = cause;
  const isShort =
    what.length <= longest && (source?.length ?? 0) <= longest && (object?.length ?? 0) <= longest;
  if (isShort) return cause;
  return {
    ...cause,
    what: cut(what),
    ...(source === undefined ? {} : { source: cut(source) }),
    ...(object === undefined ? {} : { object: cut(object) }),
  };
}

/** What an attempt needs of memory, roughly. */
export function bytesOf({ key, causes, state, error, steps, writes }: RecordedAttempt): number {
  let bytes = 400 + key.length + (state.because?.length ?? 0);
  for (const { what, object = "", earlier = [] } of causes)
    bytes += 120 + what.length + object.length + 30 * earlier.length;
  if (error) bytes += 150 + error.message.length + (error.hint?.length ?? 0);
  for (const { name } of steps) bytes += 60 + name.length;
  for (const { resource, name = "", paths = [] } of writes) {
    bytes += 200 + resource.length + name.length;
    for (const path of paths) bytes += 40 + path.length;
  }
  return bytes;
}
