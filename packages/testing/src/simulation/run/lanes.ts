// What can happen next. Each lane is a sequence whose order is given: the events of one watch, or
// one request with its answer. Between lanes the order is chance, which a seed repeats.
import type { Chance } from "../time/chance.ts";

/** Something that happens at one moment of a simulated world. */
export interface Happening {
  /** For the trace: `write PATCH kitchens/a`, `event MODIFIED kitchens/a`. */
  readonly what: string;
  /** The process that sends or hears it. */
  readonly process: string;
  run(): void;
}

/** The heads of all lanes, in the order in which they came. */
export class Lanes {
  readonly #lanes = new Map<object, Happening[]>();
  readonly #held = new Set<object>();

  get size(): number {
    let ready = 0;
    for (const lane of this.#lanes.keys()) if (!this.#held.has(lane)) ready++;
    return ready;
  }

  add(lane: object, happening: Happening): void {
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push(happening);
    else this.#lanes.set(lane, [happening]);
  }

  /** Nothing of this lane happens until `release`. */
  hold(lane: object): void {
    this.#held.add(lane);
  }

  release(lane: object): void {
    this.#held.delete(lane);
  }

  /** Forgets what has not happened yet. */
  drop(lane: object): void {
    this.#lanes.delete(lane);
    this.#held.delete(lane);
  }

  /** Takes the next: the oldest without chance. */
  take(chance: Chance | undefined): Happening | undefined {
    const ready = [...this.#lanes.keys()].filter((lane) => !this.#held.has(lane));
    const lane = ready[chance ? Math.floor(chance() * ready.length) : 0];
    if (lane === undefined) return undefined;
    const waiting = this.#lanes.get(lane)!;
    const next = waiting.shift();
    // A lane that has more goes to the end: no lane is to starve the others.
    this.#lanes.delete(lane);
    if (waiting.length > 0) this.#lanes.set(lane, waiting);
    return next;
  }
}
