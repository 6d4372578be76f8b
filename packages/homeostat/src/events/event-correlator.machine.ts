// Aggregates events for core/v1: every occurrence is written, a repeated one with its count. Many
// notes of one reason about one object become one Event, and a source that floods one object with
// events is limited. Pure.
// Upstream: k8s.io/client-go/tools/record/events_cache.go (EventAggregator,
// EventSourceObjectSpamFilter, eventLogger).
import { type EventAggregator, type EventWrite, setYoungest } from "./event-aggregator.ts";
import type { RecordedEvent } from "./recorder.ts";

/** Different notes of one reason from which on they are combined (`defaultAggregateMaxEvents`). */
const maxNotes = 10;
/** Idle time in ms after which notes are no longer combined. */
const forgetMs = 600_000;
/** Events about one object in a burst, and the ms after which one more is allowed. */
const burst = 25;
const refillMs = 300_000;
/** Objects, reasons and Events remembered (`maxLruCacheEntries`). */
const kept = 4096;

/** Remembers what one component has recorded. */
export class EventCorrelator implements EventAggregator {
  readonly sweepMs = undefined;
  readonly #notes = new Map<string, { readonly notes: Set<string>; readonly at: number }>();
  readonly #allowances = new Map<string, { readonly left: number; readonly at: number }>();
  readonly #writes = new Map<string, EventWrite>();

  observe(event: RecordedEvent, name: () => string, now: number): EventWrite | undefined {
    const { regarding, type, reason, note } = event;
    const { apiVersion, kind, namespace, name: object, uid } = regarding;
    const about = [apiVersion, kind, namespace ?? "", object, uid, type];
    const isAllowed = this.#takeAllowance(JSON.stringify(about), now);
    const group = JSON.stringify([...about, reason]);
    const isCombined = this.#countNotes(group, note, now) >= maxNotes;
    const key = isCombined ? group : JSON.stringify([...about, reason, note]);
    const before = this.#writes.get(key);
    const write: EventWrite = {
      name: before?.name ?? name(),
      event: isCombined ? { ...event, note: `(combined from similar events): ${note}` } : event,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? now,
      lastAt: now,
      isCombined,
    };
    setYoungest(this.#writes, key, write, kept);
    return isAllowed ? write : undefined;
  }

  sweep(): readonly EventWrite[] {
    return [];
  }

  /** The note that reaches the limit is not kept, so that the group stays combined. */
  #countNotes(group: string, note: string, now: number): number {
    const before = this.#notes.get(group);
    const notes = before && now - before.at <= forgetMs ? before.notes : new Set<string>();
    notes.add(note);
    setYoungest(this.#notes, group, { notes, at: now }, kept);
    const { size } = notes;
    if (size >= maxNotes) notes.delete(note);
    return size;
  }

  /** A token bucket for each object. */
  #takeAllowance(about: string, now: number): boolean {
    const { left, at } = this.#allowances.get(about) ?? { left: burst, at: now };
    const available = Math.min(burst, left + (now - at) / refillMs);
    const isAllowed = available >= 1;
    const rest = isAllowed ? available - 1 : available;
    setYoungest(this.#allowances, about, { left: rest, at: now }, kept);
    return isAllowed;
  }
}
