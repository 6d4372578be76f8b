// What introspection says of causes and times.
import type { RecordedCause } from "../../queue/workqueue.ts";

/** Why an object is queued, or was reconciled. */
export interface CauseReport {
  /** e.g. `Meal kitchen/soup MODIFIED` */
  readonly what: string;
  /** Who heard it: `itself`, `owns Meal`, `ref chef`, `retry`. */
  readonly source: string | undefined;
  /** The object that changed, e.g. `v1/ConfigMap kitchen/menu`. */
  readonly object: string | undefined;
  readonly resourceVersion: string | undefined;
  /** How often in a row. */
  readonly times: number;
  /** The first time. */
  readonly at: string | undefined;
}

export const reportCause = ({
  what,
  source,
  object,
  resourceVersion,
  times,
  at,
}: RecordedCause): CauseReport => ({ what, source, object, resourceVersion, times, at: time(at) });

/** e.g. `2026-11-23T12:00:00.000Z`; undefined for what is not known, or never. */
export const time = (ms: number | undefined): string | undefined =>
  ms === undefined || !Number.isFinite(ms) ? undefined : new Date(ms).toISOString();
