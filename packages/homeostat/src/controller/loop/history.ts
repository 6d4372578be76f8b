// The runs of one key in a row, and which of them count: those that their own writes trigger. Pure.
import { formatObjectKey } from "../../api/gvk.ts";
import type { CompletedWrite } from "../../client/client.ts";
import type { RecordedCause } from "../../queue/workqueue.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import { objectId } from "../echo/run-record.ts";
import type { Rival } from "./rival.ts";
import type { Trend } from "./trend.ts";
import type { Return } from "./write-chains.ts";

/** Runs in a row that do what an earlier one of them did. */
export const repeatsAllowed = 20;
/** Runs in a row that only their own writes triggered, each with new values. */
const progressAllowed = 300;
/** As `progressAllowed`, where a value only grows or only shrinks. */
const growthAllowed = 1000;
/** Times in a row that another writer undoes the same write. */
const undoneAllowed = 10;
/** As `undoneAllowed`, where managedFields have shown the same writer twice in a row. */
const provenAllowed = 2;
/** Times in a row that the changes of others, which this key has caused, come back to it. */
export const returnsAllowed = 100;
/** Without a run for this long, or for some delays, a loop has ended. */
export const restMs = 10_000;
/** Source of the cause that triggers a delayed key. */
export const pacedSource = "loop";

/** A detected loop. */
export interface Loop {
  /**
   * "itself": only its own writes and retries trigger it. "another": it is undone each time.
   * "retries": it asks for retries without end. "others": its writes trigger other keys of this
   * manager, whose writes trigger it.
   */
  readonly by: "itself" | "another" | "others" | "retries";
  readonly runs: number;
  /** What is written each time, e.g. `Box status.count`. */
  readonly wrote: readonly string[];
  /** Who undoes it, and which fields, where the watch has shown it. */
  readonly rival?: Rival;
  /** The keys of this manager that it triggers, the one that triggers it last. */
  readonly through?: readonly string[];
}

/** One run, for the detector. */
export interface LoopRun {
  readonly causes: readonly RecordedCause[];
  readonly writes: readonly CompletedWrite[];
  /** The delay of the retry that it asked for. */
  readonly retryAfterMs?: number | undefined;
  /** Set when other keys of this manager, which this key has triggered, trigger it. */
  readonly returned?: Return | undefined;
  /** Monotonic time in ms. */
  readonly at: number;
}

/** What is known of the runs of one key. */
export interface History {
  /** Runs in a row that count. */
  runs: number;
  repeats: number;
  undone: number;
  /** Set when managedFields have shown the same writer twice in a row. */
  isProven: boolean;
  rival: Rival | undefined;
  /** Times in a row that its own writes have come back to it through other keys. */
  returns: number;
  delays: number;
  delayMs: number;
  /** The end of the delay that the key is in. */
  until: number | undefined;
  at: number;
  values: readonly string[];
  /** Set while each run moves a value on that only grows or only shrinks. */
  trend: Trend | undefined;
  isSteady: boolean;
  writes: readonly CompletedWrite[];
  retriesAtOnce: boolean;
  found: Loop | undefined;
  isReported: boolean;
}

/** A run whose writes changed something. */
export interface Current extends LoopRun {
  readonly retriesAtOnce: boolean;
}

/** What a run leaves in its history. */
export const madeBy = ({ writes, retriesAtOnce, at, returned }: Current) => ({
  writes,
  returns: returned?.visits ?? 0,
  retriesAtOnce,
  at,
  until: undefined,
});

/** The history of a key that starts to count. */
export function start(run: Current): History {
  return {
    ...madeBy(run),
    runs: 1,
    repeats: 0,
    undone: 0,
    isProven: false,
    rival: undefined,
    delays: 0,
    delayMs: 0,
    values: [],
    trend: undefined,
    isSteady: true,
    found: undefined,
    isReported: false,
  };
}

/** The runs are too many. */
export const isLoop = (history: History): boolean =>
  history.repeats > repeatsAllowed ||
  isFight(history) ||
  history.returns > returnsAllowed ||
  history.runs > (history.isSteady ? growthAllowed : progressAllowed);

/** Another writer undoes each write. */
export const isFight = ({ undone, isProven }: History): boolean =>
  undone > (isProven ? provenAllowed : undoneAllowed);

/** The key has not run for so long that its runs form no row. */
export const hasRested = ({ at, delayMs }: History, now: number): boolean =>
  now - at > Math.max(restMs, 3 * delayMs);

/** The run before this one, or the delay that followed it, is all that triggered this one. */
export const isDriven = (before: History, { causes }: LoopRun): boolean =>
  causes.length > 0 && causes.every((cause) => isOwn(before, cause));

/** The run before has caused it. */
export function isOwn(before: History, cause: RecordedCause): boolean {
  if (cause.source === pacedSource) return true;
  if (cause.source === "retry") return before.retriesAtOnce || before.found?.by === "retries";
  return before.writes.some((write) => {
    if (idOf(write) !== cause.object) return false;
    return isDeletion(write) || writtenRevision(write) === cause.resourceVersion;
  });
}

/** Causes are merged: the latest revision may be the own one and hide that of another writer. */
export const isOnlyOwn = (before: History, cause: RecordedCause): boolean =>
  isOwn(before, cause) &&
  cause.times <= before.writes.filter((write) => idOf(write) === cause.object).length;

/** A change of what another writer undoes. */
export const isOfUndone = ({ found, writes }: History, { object }: RecordedCause): boolean =>
  found?.by === "another" && writes.some((write) => idOf(write) === object);

/** A deletion of what the run before had written. */
export const deletesOwn = (before: History, { writes }: Current): boolean =>
  writes.some(
    (write) => isDeletion(write) && before.writes.some((one) => idOf(one) === idOf(write)),
  );

/** The write has returned a revision that was there before. */
export function isNoOp(
  write: CompletedWrite,
  causes: readonly RecordedCause[],
  before: History | undefined,
): boolean {
  const revision = writtenRevision(write);
  if (revision === undefined) return false;
  const isThat = (there: string | undefined, object: () => string | undefined): boolean =>
    there === revision && object() === idOf(write);
  return (
    causes.some((cause) => isThat(cause.resourceVersion, () => cause.object)) ||
    before?.writes.some((one) => isThat(writtenRevision(one), () => idOf(one))) === true
  );
}

/** The write has deleted its object. */
export const isDeletion = (write: CompletedWrite): boolean => writtenRevision(write) === undefined;

/** Identifies an object in causes and writes, e.g. `v1/ConfigMap kitchen/menu`. */
export const idOf = ({ kind, key }: CompletedWrite): string => objectId(kind, formatObjectKey(key));

/** Names an object for people. */
export const titleOf = (write: CompletedWrite): string =>
  `${write.kind.kind} ${formatObjectKey(write.key)}${isDeletion(write) ? " (deleted)" : ""}`;
