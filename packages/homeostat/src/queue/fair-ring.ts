// Ready keys of one priority, by group: the groups take turns, and within a group the order is that
// of arrival. A key is handed out after at most one key of each other group and those of its own
// group that came before it. Without groups it is one queue.
import { Fifo } from "../util/fifo.ts";

/** The part of a key's record that a ring needs. */
export interface ReadyRecord {
  readonly group: string;
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

/** One ring. */
export class FairRing<T extends ReadyRecord> {
  /** The groups in `#groups`, each once, in the order of their turns. */
  readonly #turns = new Fifo<string>();
  /** Never empty ones; void entries count. */
  readonly #groups = new Map<string, Fifo<Entry<T>>>();
  /** Valid entries. */
  size = 0;

  /** Adds a record with its current ticket. */
  push(record: T): void {
    let group = this.#groups.get(record.group);
    if (!group) {
      this.#groups.set(record.group, (group = new Fifo()));
      this.#turns.push(record.group);
    }
    group.push({ record, ticket: record.ticket });
    this.size++;
  }

  /** A record leaves for another ring; its ticket is about to change. */
  leave(): void {
    this.size--;
  }

  /** The next record. Drops void entries before it. */
  head(): T | undefined {
    for (let name = this.#turns.peek(); name !== undefined; name = this.#turns.peek()) {
      const group = this.#groups.get(name)!;
      for (let entry = group.peek(); entry; entry = group.peek()) {
        if (entry.ticket === entry.record.ticket) return entry.record;
        group.shift();
      }
      this.#groups.delete(name);
      this.#turns.shift();
    }
    return undefined;
  }

  /** Takes the next record, which there must be; its group goes to the end of the turns. */
  pop(): T {
    const record = this.head()!;
    const name = this.#turns.shift()!;
    const group = this.#groups.get(name)!;
    group.shift();
    if (group.size > 0) this.#turns.push(name);
    else this.#groups.delete(name);
    this.size--;
    return record;
  }
}
