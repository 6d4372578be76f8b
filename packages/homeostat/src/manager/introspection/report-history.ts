// What introspection says of attempts.
import { parseObjectKey } from "../../api/object-meta.ts";
import type { RunResult } from "../../controller/run/run-observer.ts";
import type { AttemptHistory, HistoryCounts } from "./history/attempt-history.ts";
import type {
  RecordedAttempt,
  RecordedError,
  RecordedStep,
  RecordedWrite,
} from "./history/recorded-attempt.ts";
import { type CauseReport, reportCause, time } from "./report-cause.ts";
import { askedOf, seenOf, type Viewer } from "./viewer.ts";

/** One attempt to reconcile an object, as introspection tells it. */
export interface AttemptReport {
  /** Counts up in this process. */
  readonly id: number;
  readonly cluster?: string;
  readonly controller: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
  /** 1, or more after failures in a row. */
  readonly attempt: number;
  readonly beganAt: string | undefined;
  readonly tookMs: number;
  readonly causes: readonly CauseReport[];
  readonly droppedCauses: number;
  readonly result: RunResult;
  /** What followed. */
  readonly state: string;
  readonly because?: string;
  readonly nextAt?: string | undefined;
  readonly error?: RecordedError;
  readonly steps: readonly RecordedStep[];
  readonly moreSteps: number;
  readonly writes: readonly RecordedWrite[];
  readonly moreWrites: number;
}

/** The answer of `/history`. */
export interface HistoryReport extends HistoryCounts {
  readonly items: readonly AttemptReport[];
  /** Attempts that were asked for and are kept, beyond these. */
  readonly left: number;
  /** Attempts that are kept and that who asks may not see, whatever was asked for. */
  readonly hidden: number;
}

/** Which attempts are asked for. */
export interface HistoryQuery {
  readonly controller?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  /** Default: all. */
  readonly results?: readonly string[];
  readonly fingerprint?: string | undefined;
}

/** Most attempts of one answer. */
const most = 500;

/** Most attempts in the report of an object. */
export const mostOfObject = 20;

/** The attempts that are asked for, the newest first. */
export async function listHistory(
  history: AttemptHistory,
  query: HistoryQuery,
  viewer: Viewer | undefined,
): Promise<HistoryReport> {
  const { items, hidden } = await askedOf(viewer, history.attempts(), {
    of: ({ of, key }) => seenOf(of, parseObjectKey(key).namespace),
    isAsked: (attempt) => matches(attempt, query),
  });
  return {
    ...history.counts(),
    left: Math.max(0, items.length - most),
    hidden,
    items: items.slice(0, most).map(reportAttempt),
  };
}

function matches(
  { of, key, result, error }: RecordedAttempt,
  { controller, namespace, name, results = [], fingerprint }: HistoryQuery,
): boolean {
  if (controller !== undefined && of.name !== controller) return false;
  if (results.length > 0 && !results.includes(result)) return false;
  if (fingerprint !== undefined && error?.fingerprint !== fingerprint) return false;
  if (namespace === undefined && name === undefined) return true;
  const named = parseObjectKey(key);
  return (
    (namespace === undefined || named.namespace === namespace) &&
    (name === undefined || named.name === name)
  );
}

/** The latest attempts of an object with one controller that are kept. */
export const attemptsOf = (
  history: AttemptHistory,
  of: { readonly cluster?: string; readonly controller: string; readonly key: string },
): readonly AttemptReport[] =>
  history
    .attempts()
    .filter(
      (one) => one.key === of.key && one.of.name === of.controller && one.of.cluster === of.cluster,
    )
    .slice(0, mostOfObject)
    .map(reportAttempt);

/** One attempt. */
export function reportAttempt(attempt: RecordedAttempt): AttemptReport {
  const { of, key, beganAt, tookMs, causes, state, error, ...counts } = attempt;
  const { id, attempt: number, droppedCauses, result, steps, writes } = counts;
  const { moreSteps, moreWrites } = counts;
  const { name: controller, apiVersion, kind, cluster } = of;
  return {
    id,
    ...(cluster === undefined ? {} : { cluster }),
    controller,
    apiVersion,
    kind,
    ...parseObjectKey(key),
    attempt: number,
    beganAt: time(beganAt),
    tookMs: Math.round(tookMs * 1000) / 1000,
    causes: causes.map(reportCause),
    droppedCauses,
    result,
    state: state.at,
    ...(state.because === undefined ? {} : { because: state.because }),
    ...(state.nextAt === undefined ? {} : { nextAt: time(state.nextAt) }),
    ...(error ? { error } : {}),
    steps,
    moreSteps,
    writes,
    moreWrites,
  };
}
