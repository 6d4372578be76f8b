// The one time of a simulated world: it stands still while anything can happen, and jumps to the
// next timer when nothing can.
import type { Timer } from "homeostat/runtime";

/** 2026-01-01T00:00:00Z, so that equal runs have equal times. */
const startMs = 1_767_225_600_000;

interface Pending {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** The time of a world, in ms since its start. */
export class VirtualTime {
  /** A binary heap, the earliest first; of equal times, the one that was set first. */
  readonly #heap: Pending[] = [];
  #elapsed = 0;
  #order = 0;

  get elapsed(): number {
    return this.#elapsed;
  }

  /** Milliseconds since 1970-01-01 UTC. */
  get wall(): number {
    return startMs + this.#elapsed;
  }

  timer(afterMs: number, run: () => void): Timer {
    // Less than the clock can show would let it stand still for ever.
    const at = this.#elapsed + (afterMs > 0 ? Math.max(afterMs, 0.001) : 0);
    const pending: Pending = { at, order: this.#order++, run, isCancelled: false };
    this.#push(pending);
    return { cancel: () => void (pending.isCancelled = true) };
  }

  /** When the next timer is due, in ms since the start; Infinity without timers. */
  nextAt(): number {
    this.#dropCancelled();
    return this.#heap[0]?.at ?? Infinity;
  }

  /** Jumps to the next timer and runs it. */
  fire(): void {
    this.#dropCancelled();
    const next = this.#pop();
    if (next === undefined) return;
    this.#elapsed = next.at;
    next.run();
  }

  /** Jumps forwards, past no timer. */
  jumpTo(elapsed: number): void {
    this.#elapsed = Math.max(this.#elapsed, Math.min(elapsed, this.nextAt()));
  }

  #dropCancelled(): void {
    while (this.#heap[0]?.isCancelled) this.#pop();
  }

  #push(pending: Pending): void {
    const heap = this.#heap;
    let i = heap.push(pending) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(pending, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = pending;
  }

  #pop(): Pending | undefined {
    const heap = this.#heap;
    const top = heap[0];
    const last = heap.pop();
    if (heap.length === 0 || last === undefined) return top;
    let i = 0;
    for (let child = 1; child < heap.length; child = 2 * i + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return top;
  }
}

const isBefore = (one: Pending, other: Pending): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);
