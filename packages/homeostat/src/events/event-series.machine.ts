// Which events are sent: the first of a kind at once, the second starts a series, further ones only
// count until the series is refreshed or finished. Pure; times are wall ms.
// Upstream: k8s.io/client-go/tools/events/event_broadcaster.go (series after the first repeat,
// refresh 30 min, finish 6 min).
import type { EventNote } from "./recorder.ts";

/** Intervals in ms, and how many series are remembered. */
export const seriesDefaults = { finishMs: 360_000, refreshMs: 1_800_000, kept: 4096 } as const;

/** What is to be sent. */
export type EventMessage =
  | { readonly send: "event"; readonly name: string; readonly note: EventNote; readonly at: number }
  | {
      readonly send: "series";
      readonly name: string;
      readonly note: EventNote;
      readonly at: number;
      readonly count: number;
      readonly lastAt: number;
    };

interface Series {
  readonly name: string;
  readonly note: EventNote;
  readonly at: number;
  count: number;
  sentCount: number;
  sentAt: number;
  lastAt: number;
}

/** Series by what they have in common. */
export class EventSeries {
  readonly #series = new Map<string, Series>();

  get size(): number {
    return this.#series.size;
  }

  /** Takes one event; `name` becomes its name if it is the first of its series. */
  record(note: EventNote, name: string, now: number): EventMessage | undefined {
    const key = keyOf(note);
    const known = this.#series.get(key);
    if (!known || now - known.lastAt >= seriesDefaults.finishMs) {
      this.#series.delete(key);
      this.#series.set(key, {
        name,
        note,
        at: now,
        count: 1,
        sentCount: 1,
        sentAt: now,
        lastAt: now,
      });
      if (this.#series.size > seriesDefaults.kept)
        this.#series.delete(this.#series.keys().next().value!);
      return { send: "event", name, note, at: now };
    }
    known.count++;
    known.lastAt = now;
    return known.count === 2 ? this.#message(known, now) : undefined;
  }

  /**
   * What is due: refreshed counts of running series, last counts of finished ones, which are
   * forgotten.
   */
  sweep(now: number): readonly EventMessage[] {
    const due: EventMessage[] = [];
    for (const [key, series] of this.#series) {
      const finished = now - series.lastAt >= seriesDefaults.finishMs;
      if (
        series.count > series.sentCount &&
        (finished || now - series.sentAt >= seriesDefaults.refreshMs)
      )
        due.push(this.#message(series, now));
      if (finished) this.#series.delete(key);
    }
    return due;
  }

  #message(series: Series, now: number): EventMessage {
    series.sentCount = series.count;
    series.sentAt = now;
    const { name, note, at, count, lastAt } = series;
    return { send: "series", name, note, at, count, lastAt };
  }
}

function keyOf({ type, action, reason, regarding, related }: EventNote): string {
  return JSON.stringify([
    type,
    action,
    reason,
    regarding.metadata.uid,
    regarding.kind,
    regarding.metadata.name,
    related?.metadata.uid,
  ]);
}
