// Aggregates events for events.k8s.io/v1: the first occurrence is written at once, the second
// starts a series, further ones are only counted until the series is refreshed or finished. Pure.
// Upstream: k8s.io/client-go/tools/events/event_broadcaster.go (series after the first repeat,
// refresh 30 min, finish 6 min).
import { type EventAggregator, type EventWrite, setYoungest } from "./event-aggregator.ts";
import type { RecordedEvent } from "./recorder.ts";

/** Intervals in ms, and how many series are remembered. */
export const seriesDefaults = { finishMs: 360_000, refreshMs: 1_800_000, kept: 4096 } as const;

interface Series {
  readonly name: string;
  readonly event: RecordedEvent;
  readonly firstAt: number;
  count: number;
  lastAt: number;
  writtenCount: number;
  writtenAt: number;
}

/** Series by what their events have in common; notes may differ. */
export class EventSeries implements EventAggregator {
  readonly #series = new Map<string, Series>();

  get sweepMs(): number | undefined {
    return this.#series.size > 0 ? seriesDefaults.finishMs : undefined;
  }

  observe(event: RecordedEvent, name: () => string, now: number): EventWrite | undefined {
    const key = keyOf(event);
    const known = this.#series.get(key);
    if (known && now - known.lastAt < seriesDefaults.finishMs) {
      known.count++;
      known.lastAt = now;
      setYoungest(this.#series, key, known, seriesDefaults.kept);
      return known.count === 2 ? toWrite(known, now) : undefined;
    }
    const series: Series = {
      name: name(),
      event,
      firstAt: now,
      count: 1,
      lastAt: now,
      writtenCount: 0,
      writtenAt: now,
    };
    setYoungest(this.#series, key, series, seriesDefaults.kept);
    return toWrite(series, now);
  }

  /** Refreshed counts of running series and last counts of finished ones, which are forgotten. */
  sweep(now: number): readonly EventWrite[] {
    const due: EventWrite[] = [];
    for (const [key, series] of this.#series) {
      const isFinished = now - series.lastAt >= seriesDefaults.finishMs;
      const isStale = isFinished || now - series.writtenAt >= seriesDefaults.refreshMs;
      if (series.count > series.writtenCount && isStale) due.push(toWrite(series, now));
      if (isFinished) this.#series.delete(key);
    }
    return due;
  }
}

function toWrite(series: Series, now: number): EventWrite {
  series.writtenCount = series.count;
  series.writtenAt = now;
  const { name, event, count, firstAt, lastAt } = series;
  return { name, event, count, firstAt, lastAt, isCombined: false };
}

function keyOf({ type, action, reason, regarding, related }: RecordedEvent): string {
  const { uid, kind, name } = regarding;
  return JSON.stringify([type, action, reason, uid, kind, name, related?.uid]);
}
