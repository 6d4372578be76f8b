// The latest attempts within a number and a size, and a count of those that had to go.
import { Fifo } from "../../../util/fifo.ts";
import { bytesOf, type RecordedAttempt } from "./recorded-attempt.ts";

/** How much a ring keeps. */
export interface RingLimits {
  readonly attempts: number;
  readonly bytes: number;
}

export class AttemptRing {
  readonly #limits: RingLimits;
  readonly #kept = new Fifo<{ readonly attempt: RecordedAttempt; readonly bytes: number }>();
  #bytes = 0;
  #dropped = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  get dropped(): number {
    return this.#dropped;
  }

  add(attempt: RecordedAttempt): void {
    const bytes = bytesOf(attempt);
    this.#kept.push({ attempt, bytes });
    this.#bytes += bytes;
    const { attempts: most, bytes: mostBytes } = this.#limits;
    while (this.#kept.size > most || (this.#bytes > mostBytes && this.#kept.size > 1)) {
      this.#bytes -= this.#kept.shift()!.bytes;
      this.#dropped++;
    }
  }

  /** The oldest first. */
  attempts(): readonly RecordedAttempt[] {
    return this.#kept.values().map(({ attempt }) => attempt);
  }
}
