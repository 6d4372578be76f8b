// Detects reconciles that run because of what they do themselves: each run triggers the next one,
// or another writer undoes each run's write. Either would go on for ever at full speed. It is
// reported when it begins, and the object is slowed down until it rests; what else triggers it is
// not delayed. Progress is no loop: a status that counts or passes through phases never takes an
// earlier value.
import type { Json } from "../../api/json.ts";
import { ContestedObjects } from "../../cache/contested-objects.ts";
import type { CachedObject } from "../../cache/informer.ts";
import type { CompletedWrite } from "../../client/client.ts";
import type { QueueCause, RecordedCause } from "../../queue/workqueue.ts";
import { compactWrite, type FindText } from "./compact-write.ts";
import {
  type Current,
  type History,
  type Loop,
  type LoopRun,
  deletesOwn,
  hasRested,
  idOf,
  isDeletion,
  isDriven,
  isFight,
  isLoop,
  isNoOp,
  isOfUndone,
  isOnlyOwn,
  isOwn,
  madeBy,
  pacedSource,
  repeatsAllowed,
  returnsAllowed,
  restMs,
  start,
  titleOf,
} from "./history.ts";
import { Rivals } from "./rivals.ts";
import { isSoon, SoonRetries } from "./soon-retries.ts";
import { followTrend } from "./trend.ts";
import { comparedFields, differingFields } from "./written-fields.ts";

/** Earlier values that are remembered for comparison. */
const valuesKept = 32;
/** A retry sooner than this does not wait for anything. */
const promptMs = 20;
/** Runs before the trend of the values is followed. */
const trendFrom = 200;
/** Histories that rest are forgotten this often. */
const sweepMs = 1000;
/** Delays of a loop double; progress that does not end is held at one run a second. */
const pace = { firstMs: 100, mostMs: 60_000, mostOfProgressMs: 1000 };
/** Keys whose last writes are kept whole. */
const keptWhole = 500;

/** Repeats wait twice as long each time; what still makes progress goes on once a second. */
function nextDelayMs(history: History): number {
  const { repeats, returns, delays, found } = history;
  const isProgress =
    found?.by === "retries" ||
    (repeats <= repeatsAllowed && !isFight(history) && returns <= returnsAllowed);
  return Math.min(
    isProgress ? pace.mostOfProgressMs : pace.mostMs,
    pace.firstMs * 2 ** Math.min(20, delays),
  );
}

/** Only a retry that it asked for, or its own writes, triggered the run. */
const isRetried = (before: History | undefined, { causes }: LoopRun): boolean =>
  causes.length > 0 &&
  causes.every((cause) => cause.source === "retry" || (before && isOwn(before, cause)));

/** What a detector may ask. */
export interface LoopDetectorOptions {
  /** Finds texts that the cache keeps anyway. */
  readonly find?: FindText;
  /** True for changes that runs of this manager have made. */
  readonly isOurs?: (cause: RecordedCause) => boolean;
  /** Receives the objects whose other writers the watch should show. */
  readonly contested?: ContestedObjects;
}

/** Counts the runs of one controller's objects. */
export class LoopDetector {
  readonly #histories = new Map<string, History>();
  /** Times of the last reports of keys; a key is reported at most once in `restMs`. */
  readonly #reported = new Map<string, number>();
  readonly #whole = new Set<string>();
  readonly #soon = new SoonRetries();
  readonly #rivals: Rivals;
  #swept = 0;
  readonly #manager: string;
  readonly #find: FindText | undefined;
  readonly #isOurs: (cause: RecordedCause) => boolean;

  /** `manager` is the controller's field manager. */
  constructor(
    manager: string,
    { find, isOurs = () => false, contested = new ContestedObjects() }: LoopDetectorOptions = {},
  ) {
    this.#manager = manager;
    this.#find = find;
    this.#isOurs = isOurs;
    this.#rivals = new Rivals(manager, contested);
  }

  /** The delay before a key runs; 0 unless it loops and nothing else triggers it. */
  delayMs(key: string, causes: readonly RecordedCause[], at: number): number {
    const history = this.#histories.get(key);
    if (!history?.found || hasRested(history, at)) return 0;
    const others = causes.filter(
      (cause) =>
        !isOwn(history, cause) && !isOfUndone(history, cause) && !this.#isOfOthers(history, cause),
    );
    if (others.length === causes.length || others.some(({ source }) => source !== "retry"))
      return 0;
    if (history.until !== undefined) {
      const restMs = history.until - at;
      if (restMs <= 0) history.until = undefined;
      return Math.max(0, restMs);
    }
    history.delayMs = nextDelayMs(history);
    history.until = at + history.delayMs;
    return history.delayMs;
  }

  /**
   * The watch has delivered an object that concerns a key; only fights need it. `id` as in causes.
   */
  saw(key: string, id: string, object: Pick<CachedObject, "resourceVersion" | "read">): void {
    if (this.#histories.has(key)) this.#rivals.saw(key, id, object);
  }

  /** A change that another key of the loop has made. */
  #isOfOthers({ found }: History, cause: RecordedCause): boolean {
    return found?.by === "others" && this.#isOurs(cause);
  }

  /** Records a run. Returns each loop once, when it is detected. */
  record(key: string, run: LoopRun): Loop | undefined {
    const before = this.#before(key, run);
    const writes = run.writes.filter((write) => !isNoOp(write, run.causes, before));
    const retriesAtOnce = run.retryAfterMs !== undefined && run.retryAfterMs < promptMs;
    const soon = this.#soon.record(key, run, isRetried(before, run));
    const isRetrying = soon > 0 || before?.found?.by === "retries";
    if (writes.length === 0 && !retriesAtOnce && !isRetrying) {
      if (before) this.#rest(key, before, run);
      return undefined;
    }
    const current = { ...run, writes, retriesAtOnce };
    const history =
      before && !hasRested(before, run.at) ? this.#next(key, before, current) : undefined;
    this.#rivals.wrote(key, run.writes);
    const kept = history ?? start(current);
    this.#keep(key, kept, run.at);
    if (soon > 0 && !kept.found) {
      kept.found = { by: "retries", runs: soon, wrote: writes.map(titleOf).slice(0, 5) };
      return this.#report(key, kept, run.at);
    }
    if (!history || (!history.found && !isLoop(history))) return undefined;
    history.found ??= this.#describe(history, run, before!.writes);
    return this.#report(key, history, run.at);
  }

  /** A loop of retries ends with the first run that asks for none that is soon. */
  #before(key: string, run: LoopRun): History | undefined {
    if (this.#histories.get(key)?.found?.by === "retries" && !isSoon(run.retryAfterMs))
      this.#drop(key);
    return this.#histories.get(key);
  }

  /** A loop that begins again soon after its last report is reported later. */
  #report(key: string, history: History, at: number): Loop | undefined {
    const last = this.#reported.get(key);
    if (history.isReported || (last !== undefined && at - last < restMs)) return undefined;
    history.isReported = true;
    this.#reported.set(key, at);
    return history.found;
  }

  /** The loop that a key is in. */
  active(key: string): Loop | undefined {
    return this.#histories.get(key)?.found;
  }

  /** True while a key is in a loop and has not come to rest. */
  isActive(key: string, at: number): boolean {
    const history = this.#histories.get(key);
    return history?.found !== undefined && !hasRested(history, at);
  }

  /** The cause that triggers a delayed key, in place of `causes`. */
  pacedCause(causes: readonly RecordedCause[] = []): QueueCause {
    const { object, resourceVersion } = causes.findLast((one) => one.object) ?? {};
    return {
      what: "slowed down: its own writes, or their undoing, trigger it",
      source: pacedSource,
      ...(object && resourceVersion ? { object, resourceVersion } : {}),
    };
  }

  /** The object is gone. */
  forget(key: string): void {
    this.#drop(key);
    this.#soon.forget(key);
    this.#reported.delete(key);
  }

  #drop(key: string): void {
    this.#take(key);
    this.#rivals.forget(key);
  }

  #take(key: string): void {
    this.#histories.delete(key);
    this.#whole.delete(key);
  }

  /** Number of keys with a history. */
  get size(): number {
    return this.#histories.size;
  }

  /** Histories stay in the order of their runs: those that rest are first, and are forgotten. */
  #keep(key: string, history: History, at: number): void {
    this.#take(key);
    this.#forgetRested(at);
    this.#histories.set(key, history);
    this.#whole.add(key);
    if (this.#whole.size <= keptWhole) return;
    const [oldest] = this.#whole;
    this.#whole.delete(oldest!);
    const old = this.#histories.get(oldest!)!;
    old.writes = old.writes.map((write) => compactWrite(write, this.#find));
  }

  /** Seldom: what has left the front of a map is passed over until the map is compacted. */
  #forgetRested(at: number): void {
    if (at - this.#swept < sweepMs) return;
    this.#swept = at;
    for (const [key, last] of this.#reported) if (at - last >= restMs) this.#reported.delete(key);
    for (const [oldest, one] of this.#histories) {
      if (!hasRested(one, at)) {
        if (!one.found) break;
        continue;
      }
      this.#drop(oldest);
    }
  }

  /**
   * A run has written nothing: what only triggers itself has ended. Another writer may yet undo the
   * last write, so it stays.
   */
  #rest(key: string, before: History, run: LoopRun): void {
    const isAtRest = isDriven(before, run);
    if (
      before.found?.by === "another" ||
      before.found?.by === "others" ||
      (before.found && !isAtRest)
    )
      return;
    if (before.found || before.retriesAtOnce) return this.#drop(key);
    this.#histories.set(key, {
      ...before,
      runs: before.undone,
      repeats: 0,
      values: [],
      trend: undefined,
      isSteady: true,
    });
  }

  #next(key: string, before: History, run: Current): History | undefined {
    const own = isDriven(before, run);
    const undone = this.#undone(before, run);
    const { returned } = run;
    if (!own && !undone && !returned) return before.found && { ...before, ...madeBy(run) };
    const runs = before.runs + 1;
    const value = runs > 3 ? this.#valueOf(run) : undefined;
    const isRepeat =
      value !== undefined && (before.values.includes(value) || deletesOwn(before, run));
    return {
      ...madeBy(run),
      runs,
      repeats: before.repeats + ((own || returned) && isRepeat ? 1 : 0),
      ...this.#rivals.fight(key, before, { undone, at: run.at, isOwn: this.#isOurs }),
      delays: before.delays + (before.found ? 1 : 0),
      delayMs: before.delayMs,
      ...this.#trendOf(before, run),
      values: value === undefined ? [] : [...before.values, value].slice(-valuesKept),
      found: before.found,
      isReported: before.isReported,
    };
  }

  /** Followed only shortly before it decides. */
  #trendOf({ trend, isSteady, runs }: History, { writes }: Current) {
    if (!isSteady || runs < trendFrom) return { trend: undefined, isSteady };
    const fields = writes.map(
      (write) => [idOf(write), JSON.parse(this.#fieldsOf(write)) as Json] as const,
    );
    return followTrend(trend, new Map(fields));
  }

  /** The write of the run before that another writer has undone, and this run has repeated. */
  #undone(before: History, { causes, writes }: Current): CompletedWrite | undefined {
    for (const cause of causes) {
      const isOfCause = (write: CompletedWrite): boolean =>
        !isDeletion(write) && idOf(write) === cause.object;
      const [now, then] = [writes.find(isOfCause), before.writes.find(isOfCause)];
      if (!now || !then || cause.source === pacedSource || isOnlyOwn(before, cause)) continue;
      if (this.#fieldsOf(now) === this.#fieldsOf(then)) return then;
    }
    return undefined;
  }

  #valueOf({ writes }: Current): string {
    return writes.map((write) => `${idOf(write)} ${this.#fieldsOf(write)}`).join("\n");
  }

  #fieldsOf({ object }: CompletedWrite): string {
    return JSON.stringify(object ? comparedFields(object as never, this.#manager) : "deleted");
  }

  #describe(history: History, { returned }: LoopRun, before: readonly CompletedWrite[]): Loop {
    const { writes, runs, returns, rival } = history;
    const wrote = writes.flatMap((write) => this.#changed(write, before)).slice(0, 5);
    if (!isFight(history))
      return returned
        ? { by: "others", runs: returns, wrote, through: returned.through }
        : { by: "itself", runs, wrote };
    const again = writes.map(titleOf).slice(0, 5);
    return { by: "another", runs, wrote: again, ...(rival ? { rival } : {}) };
  }

  #changed(write: CompletedWrite, before: readonly CompletedWrite[]): readonly string[] {
    const last = before.findLast((one) => !isDeletion(one) && idOf(one) === idOf(write));
    if (!write.object || !last) return [titleOf(write)];
    const [now, then] = [write, last].map(({ object }) =>
      comparedFields(object as never, this.#manager),
    );
    const fields = differingFields(now!, then);
    return fields.length > 0
      ? fields.map((field) => `${write.kind.kind} ${field}`)
      : [titleOf(write)];
  }
}
