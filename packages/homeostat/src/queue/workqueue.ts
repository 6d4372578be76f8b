// The work queue that controllers use: a machine (workqueue.machine.ts) driven by one timer and a
// list of waiting workers.
import type { Runtime } from "../runtime/runtime.ts";

/** Why a key was put in, or why it was not: for people, never for reconcile. */
export interface QueueCause {
  /** What happened, e.g. `Meal kitchen/soup MODIFIED`. */
  readonly what: string;
  /** Which source or watch, e.g. `owns Meal`. */
  readonly source?: string;
  /** The resourceVersion or trace that led here. */
  readonly resourceVersion?: string;
}

/** A cause with its moment and how often it came in a row. */
export interface RecordedCause extends QueueCause {
  /** Wall time in ms of the first time. */
  readonly at: number;
  readonly times: number;
}

export interface AddOptions {
  /**
   * Higher runs first; 0 is live work, -100 the initial list. A key waiting takes the highest asked
   * for.
   */
  readonly priority?: number;
  /** Not before this long from now; the earlier of two moments holds. */
  readonly afterMs?: number;
  readonly cause?: QueueCause;
}

/** A key handed to a worker. */
export interface QueueItem {
  readonly key: string;
  readonly priority: number;
  /** Failures in a row so far. */
  readonly failures: number;
  /** Why it was waiting; bounded, oldest kept. `droppedCauses` counts the rest. */
  readonly causes: readonly RecordedCause[];
  readonly droppedCauses: number;
  readonly waitedMs: number;
}

/** What the queue knows of a key. */
export interface QueueKeyReport {
  readonly key: string;
  readonly state: "idle" | "ready" | "delayed" | "processing" | "processing, dirty";
  readonly priority: number;
  readonly failures: number;
  /** Wall time in ms when it runs next; undefined unless delayed. */
  readonly dueAt?: number;
  /** Why it waits now. */
  readonly causes: readonly RecordedCause[];
  /** Why it ran last. */
  readonly lastCauses: readonly RecordedCause[];
  /** What was seen and deliberately did not wake it, newest last. */
  readonly ignored: readonly RecordedCause[];
  readonly droppedCauses: number;
}

/** Counts what happens; metrics hang on this. */
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
  readonly observer?: QueueObserver;
  /** Causes kept per key; default 8. */
  readonly causesKept?: number;
  /** Idle keys whose last causes are remembered; default 10,000. */
  readonly idleKept?: number;
}

/** Each key at most once, never with two workers, none forgotten. */
export interface WorkQueue {
  add(key: string, options?: AddOptions): void;
  /** Adds after the key's own back-off, one step longer each time; returns the delay in ms. */
  addRateLimited(key: string, options?: Omit<AddOptions, "afterMs">): number;
  /** The key is healthy again: its back-off starts from the first step. */
  forget(key: string): void;
  /** Records that something was seen and did not wake the key (a predicate, a filter). */
  ignore(key: string, cause: QueueCause): void;
  /**
   * The next key, highest priority first, waiting for one; undefined once shut down and drained, or
   * when `signal` aborts.
   */
  get(signal?: AbortSignal): Promise<QueueItem | undefined>;
  /**
   * The worker is through; a key that was added meanwhile is ready again. Must be called once per
   * `get`.
   */
  done(key: string): void;
  explain(key: string): QueueKeyReport | undefined;
  /** Waiting keys by priority, highest first; delayed ones apart. */
  depth(): {
    readonly ready: ReadonlyMap<number, number>;
    readonly delayed: number;
    readonly processing: number;
  };
  /** Seconds of work under way: the sum and the longest. */
  unfinished(): { readonly seconds: number; readonly longestSeconds: number };
  /** True when nothing is ready and nothing is processed (delayed keys do not count). */
  isIdle(): boolean;
  /**
   * Refuses new keys, drops delayed ones, hands out what is ready; resolves when every taken key is
   * done.
   */
  shutDown(): Promise<void>;
}
