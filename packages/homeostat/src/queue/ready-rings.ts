// Ready keys: one ring per priority, highest first, with ageing: every eighth pop serves the ring
// whose head has waited longest, so that low priorities such as the initial list are never starved.
// It prevents the issue of sigs.k8s.io/controller-runtime in which low-priority items starve under
// load.
import { Fifo } from "../util/fifo.ts";

/** The part of a key's record that the rings need. */
export interface ReadyRecord {
  priority: number;
  /**
   * Increases each time a record becomes ready or moves; ring entries with an older number are
   * void.
   */
  ticket: number;
  readySince: number;
}

interface Entry<T> {
  readonly record: T;
  readonly ticket: number;
}

/** One of this many pops serves the ring that has waited longest. */
export const ageingPeriod = 8;

/** Rings by priority. */
export class ReadyRings<T extends ReadyRecord> {
  /** Priorities in use, highest first. */
  #priorities: number[] = [];
  readonly #rings = new Map<number, Fifo<Entry<T>>>();
  readonly #sizes = new Map<number, number>();
  #pops = 0;
  size = 0;

  push(record: T): void {
    record.ticket++;
    this.#enter(record);
    this.size++;
  }

  /** Moves a ready record to the end of a higher priority's ring. */
  raise(record: T, priority: number): void {
    this.#count(record.priority, -1);
    record.priority = priority;
    record.ticket++;
    this.#enter(record);
  }

  pop(): T | undefined {
    if (this.size === 0) return undefined;
    const ring = ++this.#pops % ageingPeriod === 0 ? this.#oldest() : this.#highest();
    const { record } = ring.shift()!;
    this.#count(record.priority, -1);
    this.size--;
    return record;
  }

  /** Ready keys by priority, highest first. */
  depth(): ReadonlyMap<number, number> {
    const out = new Map<number, number>();
    for (const priority of this.#priorities)
      if (this.#sizes.get(priority)) out.set(priority, this.#sizes.get(priority)!);
    return out;
  }

  #enter(record: T): void {
    let ring = this.#rings.get(record.priority);
    if (!ring) {
      this.#rings.set(record.priority, (ring = new Fifo()));
      this.#priorities = [...this.#rings.keys()].toSorted((a, b) => b - a);
    }
    ring.push({ record, ticket: record.ticket });
    this.#count(record.priority, 1);
  }

  #count(priority: number, by: number): void {
    this.#sizes.set(priority, (this.#sizes.get(priority) ?? 0) + by);
  }

  #highest(): Fifo<Entry<T>> {
    return this.#rings.get(this.#priorities.find((priority) => this.#head(priority))!)!;
  }

  #oldest(): Fifo<Entry<T>> {
    let best: number | undefined;
    let since = Infinity;
    for (const priority of this.#priorities) {
      const head = this.#head(priority);
      if (head && head.readySince < since) [best, since] = [priority, head.readySince];
    }
    return this.#rings.get(best!)!;
  }

  /** The first valid record of a ring; drops void entries before it. */
  #head(priority: number): T | undefined {
    const ring = this.#rings.get(priority)!;
    for (let entry = ring.peek(); entry; entry = ring.peek()) {
      if (entry.ticket === entry.record.ticket) return entry.record;
      ring.shift();
    }
    return undefined;
  }
}
