// The work queue's decisions: which key runs next, which is delayed, and which must not run because
// it is being processed. Pure: time is a parameter, and the driver sets a timer for `nextDue()`.
// Invariants: a key is in one place only; no key is lost; no key is processed twice at once; no
// ready key is starved.
// Upstream: k8s.io/client-go/util/workqueue (dedup, dirty set, back-off, and the longer of the
// delays of back-off and token bucket, as its DefaultTypedControllerRateLimiter),
// sigs.k8s.io/controller-runtime pkg/controller/priorityqueue (one schedule per key, earliest
// moment and highest priority win).
import { MinHeap } from "../util/min-heap.ts";
import { addCause, addLatestCause, type CauseList, noCauses } from "./cause-list.ts";
import { ReadyRings } from "./ready-rings.ts";
import { type Rate, TokenBucket } from "./token-bucket.ts";
import type {
  AddOptions,
  QueueCause,
  QueueItem,
  QueueKeyReport,
  RecordedCause,
  RetryOptions,
} from "./workqueue.ts";

/** Limits; the driver sets defaults. */
export interface QueueLimits {
  readonly firstMs: number;
  readonly maxMs: number;
  readonly causesKept: number;
  readonly idleKept: number;
  /** Of the retries of all keys together; undefined: no limit. */
  readonly retryRate?: Rate | undefined;
  /** The group of a key: within a priority groups take turns. Default: one group. */
  readonly groupOf?: ((key: string) => string) | undefined;
}

/**
 * One key. `waiting` and `processing` are independent: a key can be processed and wait for its next
 * turn.
 */
interface KeyRecord {
  readonly key: string;
  readonly group: string;
  /** "dirty": it becomes ready again when its worker is done. */
  waiting: "no" | "ready" | "delayed" | "dirty";
  processing: boolean;
  priority: number;
  due: number;
  heapIndex: number;
  ticket: number;
  readySince: number;
  startedAt: number;
  failures: number;
  /** When `retryRate` allows the last retry. */
  retryAt: number;
  pending: CauseList;
  last: readonly RecordedCause[];
  ignored: readonly RecordedCause[];
}

/** The queue's state, changed by calls; times are monotonic ms, causes have wall time. */
export class WorkQueueMachine {
  readonly #limits: QueueLimits;
  readonly #records = new Map<string, KeyRecord>();
  readonly #idle = new Set<string>();
  readonly #rings = new ReadyRings<KeyRecord>();
  readonly #delayed = new MinHeap<KeyRecord>((a, b) => a.due < b.due);
  readonly #processing = new Set<KeyRecord>();
  readonly #bucket: TokenBucket | undefined;
  #closed = false;
  #adds = 0;
  #retries = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
    this.#bucket = limits.retryRate && new TokenBucket(limits.retryRate);
  }

  add(key: string, now: number, wall: number, options: AddOptions = {}): void {
    if (this.#closed) return;
    const record = this.#record(key);
    if (options.cause)
      record.pending = addCause(record.pending, options.cause, wall, this.#limits.causesKept);
    const priority = options.priority ?? 0;
    const earliest = now + Math.max(0, options.afterMs ?? 0);
    const due = options.isRetry ? Math.max(earliest, record.retryAt) : earliest;
    if (due > now) this.#retries++;
    switch (record.waiting) {
      case "ready":
        if (priority > record.priority) this.#rings.raise(record, priority);
        return;
      case "dirty":
        record.priority = Math.max(record.priority, priority);
        return;
      case "delayed":
        record.priority = Math.max(record.priority, priority);
        if (due > now) return this.#hasten(record, due);
        this.#delayed.remove(record);
        return this.#makeReady(record, now);
      case "no":
        record.priority = priority;
        return due > now ? this.#delay(record, due) : this.#makeReady(record, now);
    }
  }

  /**
   * Adds the key after its back-off, which counts a failure, or after `backoffMs`, and not before
   * the retry rate allows it; returns the delay.
   */
  addRateLimited(
    key: string,
    now: number,
    wall: number,
    { backoffMs, leastMs = 0, ...options }: RetryOptions = {},
  ): number {
    const record = this.#record(key);
    const rateMs = this.#bucket?.reserve(now) ?? 0;
    record.retryAt = now + rateMs;
    const afterMs = Math.max(backoffMs ?? this.#countFailure(record), rateMs, leastMs);
    this.add(key, now, wall, { ...options, afterMs });
    return afterMs;
  }

  forget(key: string): void {
    const record = this.#records.get(key);
    if (!record) return;
    record.failures = 0;
    this.#rest(record);
  }

  /** Drops a key that waits, with all that is known of it. */
  discard(key: string): void {
    const record = this.#records.get(key);
    if (!record || record.processing) return;
    if (record.waiting === "ready") this.#rings.remove(record);
    if (record.waiting === "delayed") this.#delayed.remove(record);
    record.waiting = "no";
    this.#idle.delete(key);
    this.#records.delete(key);
  }

  ignore(key: string, wall: number, cause: QueueCause): void {
    const record = this.#record(key);
    record.ignored = addLatestCause(record.ignored, cause, wall, this.#limits.causesKept);
    this.#rest(record);
  }

  /** Moves due keys to ready. */
  tick(now: number): void {
    for (
      let record = this.#delayed.peek();
      record && record.due <= now;
      record = this.#delayed.peek()
    ) {
      this.#delayed.pop();
      this.#makeReady(record, now);
    }
  }

  /** Returns the next ready key. */
  take(now: number): QueueItem | undefined {
    const record = this.#rings.pop();
    if (!record) return undefined;
    record.waiting = "no";
    record.processing = true;
    record.startedAt = now;
    this.#processing.add(record);
    const { causes, dropped } = record.pending;
    record.last = causes;
    record.pending = noCauses;
    return {
      key: record.key,
      priority: record.priority,
      failures: record.failures,
      causes,
      droppedCauses: dropped,
      waitedMs: now - record.readySince,
    };
  }

  /**
   * Ends the processing of a key; returns its duration in ms, or undefined when it was not being
   * processed. After `close` a dirty key is dropped: the next process lists it again.
   */
  done(key: string, now: number): number | undefined {
    const record = this.#records.get(key);
    if (!record?.processing) return undefined;
    record.processing = false;
    this.#processing.delete(record);
    if (record.waiting === "dirty") {
      record.waiting = "no";
      if (!this.#closed) this.#enterRing(record, now);
    }
    this.#rest(record);
    return now - record.startedAt;
  }

  /** Refuses new keys and drops delayed ones; ready keys are still handed out. */
  close(): void {
    this.#closed = true;
    for (let record = this.#delayed.pop(); record; record = this.#delayed.pop()) {
      record.waiting = "no";
      this.#rest(record);
    }
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** The monotonic time of the next due key. */
  nextDue(): number | undefined {
    return this.#delayed.peek()?.due;
  }

  depth(): {
    readonly ready: ReadonlyMap<number, number>;
    readonly readyTotal: number;
    readonly delayed: number;
    readonly processing: number;
  } {
    return {
      ready: this.#rings.depth(),
      readyTotal: this.#rings.size,
      delayed: this.#delayed.size,
      processing: this.#processing.size,
    };
  }

  /** Of the life of the queue. */
  counts(): { readonly adds: number; readonly retries: number } {
    return { adds: this.#adds, retries: this.#retries };
  }

  /** The priorities of keys that are being processed and become ready again after it. */
  dirty(): readonly number[] {
    const dirty = [...this.#processing].filter(({ waiting }) => waiting === "dirty");
    return dirty.map(({ priority }) => priority);
  }

  unfinished(now: number): { readonly seconds: number; readonly longestSeconds: number } {
    let sum = 0;
    let longest = 0;
    for (const { startedAt } of this.#processing) {
      sum += now - startedAt;
      longest = Math.max(longest, now - startedAt);
    }
    return { seconds: sum / 1000, longestSeconds: longest / 1000 };
  }

  explain(key: string, now: number, wall: number): QueueKeyReport | undefined {
    const record = this.#records.get(key);
    if (!record) return undefined;
    const { priority, failures, pending, last, ignored } = record;
    const report = {
      key,
      state: stateOf(record),
      priority,
      failures,
      causes: pending.causes,
      lastCauses: last,
      ignored,
      droppedCauses: pending.dropped,
    };
    return record.waiting === "delayed" && record.due < Infinity
      ? { ...report, dueAt: wall + record.due - now }
      : report;
  }

  /** Returns the back-off. */
  #countFailure(record: KeyRecord): number {
    const { firstMs, maxMs } = this.#limits;
    return Math.min(firstMs * 2 ** Math.min(record.failures++, 60), maxMs);
  }

  #record(key: string): KeyRecord {
    let record = this.#records.get(key);
    if (!record) {
      record = {
        key,
        group: this.#limits.groupOf?.(key) ?? "",
        waiting: "no",
        processing: false,
        priority: 0,
        due: 0,
        heapIndex: -1,
        ticket: 0,
        readySince: 0,
        startedAt: 0,
        failures: 0,
        retryAt: 0,
        pending: noCauses,
        last: [],
        ignored: [],
      };
      this.#records.set(key, record);
    }
    this.#idle.delete(key);
    return record;
  }

  #makeReady(record: KeyRecord, now: number): void {
    this.#adds++;
    if (record.processing) {
      record.waiting = "dirty";
      return;
    }
    this.#enterRing(record, now);
  }

  #enterRing(record: KeyRecord, now: number): void {
    record.waiting = "ready";
    record.readySince = now;
    this.#rings.push(record);
  }

  #delay(record: KeyRecord, due: number): void {
    record.waiting = "delayed";
    record.due = due;
    this.#delayed.push(record);
  }

  #hasten(record: KeyRecord, due: number): void {
    if (due >= record.due) return;
    record.due = due;
    this.#delayed.update(record);
  }

  /** Moves an idle record to the bounded list of idle ones. Failing keys are kept. */
  #rest(record: KeyRecord): void {
    if (record.processing || record.waiting !== "no" || record.failures > 0) return;
    this.#idle.delete(record.key);
    this.#idle.add(record.key);
    if (this.#idle.size <= this.#limits.idleKept) return;
    const [oldest] = this.#idle;
    this.#idle.delete(oldest!);
    this.#records.delete(oldest!);
  }
}

function stateOf(record: KeyRecord): QueueKeyReport["state"] {
  if (record.processing) return record.waiting === "dirty" ? "processing, dirty" : "processing";
  return record.waiting === "ready" || record.waiting === "delayed" ? record.waiting : "idle";
}
