// What an aggregator of events decides. Two machines implement it: one for each API of Events.
import type { RecordedEvent } from "./recorder.ts";

/** An Event to write: a new one, or a repeated one with its new count. */
export interface EventWrite {
  /** The name of the Event object. */
  readonly name: string;
  /** The occurrence whose note is written. */
  readonly event: RecordedEvent;
  /** Occurrences so far; 1 for a new Event. */
  readonly count: number;
  /** Wall time in ms of the first and the last occurrence. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** True when the Event stands for occurrences with different notes. */
  readonly isCombined: boolean;
}

/** Pure; `now` is wall time in ms. */
export interface EventAggregator {
  /** Takes one occurrence; `name` names its Event if that is new. Undefined: only counted. */
  observe(event: RecordedEvent, name: () => string, now: number): EventWrite | undefined;
  /** Writes that are due; to be called every {@link EventAggregator.sweepMs}. */
  sweep(now: number): readonly EventWrite[];
  /** How soon to sweep; undefined while there is nothing to wait for. */
  readonly sweepMs: number | undefined;
}

/** Sets an entry and makes it the youngest; the oldest is evicted beyond `kept` entries. */
export function setYoungest<T>(entries: Map<string, T>, key: string, value: T, kept: number): void {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size > kept) for (const oldest of entries.keys()) return void entries.delete(oldest);
}
