// The work queue of controllers: a machine (workqueue.machine.ts) driven by one timer and a list of
// waiting workers.
import type { Runtime } from "../runtime/runtime.ts";
import type { Rate } from "./token-bucket.ts";

/** Why a key was added or ignored: for people, never for reconcile. */
export interface QueueCause {
  /** What happened, e.g. `Meal kitchen/soup MODIFIED`. */
  readonly what: string;
  /** Which source or watch, e.g. `owns Meal`. */
  readonly source?: string;
  /** The resourceVersion or trace that led here. */
  readonly resourceVersion?: string;
  /** The object that changed, e.g. `v1/ConfigMap kitchen/menu`. */
  readonly object?: string;
}

/** A cause with its time and its number of consecutive occurrences. */
export interface RecordedCause extends QueueCause {
  /** Wall time in ms of the first time. */
  readonly at: number;
  readonly times: number;
  /** The latest of the resourceVersions before this one, of the earlier times. */
  readonly earlier?: readonly string[];
}

export interface AddOptions {
  /**
   * Higher runs first: 0 for changes, -100 for the initial list. A waiting key keeps its highest
   * priority.
   */
  readonly priority?: number;
  /** Delay from now; of two delays the earlier time applies. */
  readonly afterMs?: number;
  readonly cause?: QueueCause;
  /** An earlier turn of the key's last retry: not before `retryRate` allows that retry. */
  readonly isRetry?: true;
}

/** Options of a retry. */
export interface RetryOptions extends Omit<AddOptions, "afterMs" | "isRetry"> {
  /** The delay in place of the back-off, which then counts no failure. */
  readonly backoffMs?: number;
  /** Delay at least; Infinity holds the key until it is added again. */
  readonly leastMs?: number;
}

/** A key for a worker. */
export interface QueueItem {
  readonly key: string;
  readonly priority: number;
  /** Consecutive failures so far. */
  readonly failures: number;
  /** Why it was queued; bounded, the oldest are kept. `droppedCauses` counts the rest. */
  readonly causes: readonly RecordedCause[];
  readonly droppedCauses: number;
  readonly waitedMs: number;
}

/** The queue's information about a key. */
export interface QueueKeyReport {
  readonly key: string;
  readonly state: "idle" | "ready" | "delayed" | "processing" | "processing, dirty";
  readonly priority: number;
  readonly failures: number;
  /** Wall time in ms when it runs next; undefined unless delayed. */
  readonly dueAt?: number;
  /** Why it is queued. */
  readonly causes: readonly RecordedCause[];
  /** Why it ran last. */
  readonly lastCauses: readonly RecordedCause[];
  /** Causes that were ignored, newest last. */
  readonly ignored: readonly RecordedCause[];
  readonly droppedCauses: number;
}

/** Receives queue events, for metrics. */
export interface QueueObserver {
  added?(key: string, priority: number): void;
  taken?(key: string, waitedMs: number): void;
  done?(key: string, workedMs: number): void;
  retried?(key: string): void;
}

export interface WorkQueueOptions {
  readonly runtime: Runtime;
  /** First and longest delay after failures, doubling; default 5 ms and 1000 s. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  /**
   * Limits the retries of all keys together: `qps` a second, after a first `burst`. A key is
   * retried after the longer of this delay and its back-off. Default: no limit.
   */
  readonly retryRate?: Rate;
  /**
   * The group of a key. Within a priority groups take turns, so that one with many keys does not
   * hold up the others. Pure. Default: all keys in order of arrival.
   */
  readonly groupOf?: (key: string) => string;
  readonly observer?: QueueObserver;
  /** Causes kept per key; default 8. */
  readonly causesKept?: number;
  /** Number of idle keys whose last causes are kept; default 10,000. */
  readonly idleKept?: number;
}

/** A queue that holds each key once, never gives a key to two workers, and loses none. */
export interface WorkQueue {
  add(key: string, options?: AddOptions): void;
  /**
   * Adds a key after its back-off delay, which doubles each time, or later if `retryRate` says so;
   * returns the delay in ms.
   */
  addRateLimited(key: string, options?: RetryOptions): number;
  /** Resets the back-off of a key. */
  forget(key: string): void;
  /** Drops a key that waits and is not being processed, with all that is known of it. */
  discard(key: string): void;
  /** Records a cause that was ignored (by a predicate or filter). */
  ignore(key: string, cause: QueueCause): void;
  /**
   * Waits for the next key, highest priority first; undefined once shut down and drained, or when
   * `signal` aborts.
   */
  get(signal?: AbortSignal): Promise<QueueItem | undefined>;
  /**
   * Ends the processing of a key; a key that was added meanwhile is ready again. Must be called
   * once per `get`.
   */
  done(key: string): void;
  explain(key: string): QueueKeyReport | undefined;
  /** Waiting keys by priority, highest first; delayed ones apart. */
  depth(): {
    readonly ready: ReadonlyMap<number, number>;
    readonly delayed: number;
    readonly processing: number;
  };
  /**
   * `adds`: how often a key has become ready, or was added while it was processed. `retries`: how
   * often one was added with a delay.
   */
  counts(): { readonly adds: number; readonly retries: number };
  /** The priorities of keys that are being processed and become ready again after it. */
  dirty(): readonly number[];
  /** Seconds of running work: the sum and the longest. */
  unfinished(): { readonly seconds: number; readonly longestSeconds: number };
  /** True when no key is ready or being processed (delayed keys do not count). */
  isIdle(): boolean;
  /**
   * Refuses new keys, drops delayed ones, and hands out ready ones; resolves when all keys are
   * done.
   */
  shutDown(): Promise<void>;
}
