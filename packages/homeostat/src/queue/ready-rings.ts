// Ready keys: one ring per priority, highest first, with ageing: every eighth pop serves the ring
// whose head has waited longest, so that low priorities such as the initial list are never starved.
// It prevents the issue of sigs.k8s.io/controller-runtime in which low-priority items starve under
// load.
import { FairRing, type ReadyRecord } from "./fair-ring.ts";

/** One of this many pops serves the ring that has waited longest. */
export const ageingPeriod = 8;

/** So many empty rings are kept for reuse; users may compute priorities. */
const emptyRingsKept = 16;

/** Rings by priority. */
export class ReadyRings<T extends ReadyRecord> {
  /** The priorities of `#rings`, highest first. */
  #priorities: number[] = [];
  readonly #rings = new Map<number, FairRing<T>>();
  #pops = 0;
  size = 0;

  push(record: T): void {
    record.ticket++;
    this.#enter(record);
    this.size++;
  }

  /** Moves a ready record to the end of a higher priority's ring. */
  raise(record: T, priority: number): void {
    this.#rings.get(record.priority)!.leave();
    record.priority = priority;
    record.ticket++;
    this.#enter(record);
  }

  /** Takes out a ready record. */
  remove(record: T): void {
    this.#rings.get(record.priority)!.leave();
    record.ticket++;
    this.size--;
  }

  pop(): T | undefined {
    if (this.size === 0) return undefined;
    const ring = ++this.#pops % ageingPeriod === 0 ? this.#oldest() : this.#highest();
    this.size--;
    return ring.pop();
  }

  /** Ready keys by priority, highest first. */
  depth(): ReadonlyMap<number, number> {
    const out = new Map<number, number>();
    for (const priority of this.#priorities) {
      const { size } = this.#rings.get(priority)!;
      if (size > 0) out.set(priority, size);
    }
    return out;
  }

  /** Priorities with a ring, empty ones included. */
  get rings(): number {
    return this.#rings.size;
  }

  #enter(record: T): void {
    let ring = this.#rings.get(record.priority);
    if (!ring) {
      if (this.#rings.size >= emptyRingsKept) this.#dropEmpty();
      this.#rings.set(record.priority, (ring = new FairRing()));
      this.#priorities = [...this.#rings.keys()].toSorted((a, b) => b - a);
    }
    ring.push(record);
  }

  #dropEmpty(): void {
    for (const [priority, ring] of this.#rings) if (ring.size === 0) this.#rings.delete(priority);
  }

  #highest(): FairRing<T> {
    return this.#rings.get(this.#priorities.find((one) => this.#rings.get(one)!.size > 0)!)!;
  }

  #oldest(): FairRing<T> {
    let best: FairRing<T> | undefined;
    let since = Infinity;
    for (const priority of this.#priorities) {
      const ring = this.#rings.get(priority)!;
      const head = ring.head();
      if (head && head.readySince < since) [best, since] = [ring, head.readySince];
    }
    return best!;
  }
}
