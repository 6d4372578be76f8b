// A watch that was given up because it was silent, heard for a while longer: what still comes from
// it shows that the link is slow and nothing is lost. One at a time.
import type { Clock, Timer } from "../runtime/clock.ts";

interface Lingering {
  /** The request that is given up. */
  readonly epoch: number;
  readonly exchange: { close(): void };
  /** When the server must have ended it, monotonic. */
  readonly dueAt: number;
}

export class LingeringWatch {
  readonly #clock: Clock;
  readonly #late: (lateMs: number) => void;
  #current: (Lingering & { readonly timer: Timer }) | undefined;

  /** `late` receives how long after its time a watch brought something. */
  constructor(clock: Clock, late: (lateMs: number) => void) {
    this.#clock = clock;
    this.#late = late;
  }

  /** Listens for `ms`, or closes the watch where another one lingers. */
  keep(lingering: Lingering, ms: number): void {
    if (this.#current) return lingering.exchange.close();
    this.#current = { ...lingering, timer: this.#clock.timer(ms, () => this.end()) };
  }

  /** A request has received something, or has ended. */
  heard(epoch: number): void {
    if (epoch !== this.#current?.epoch) return;
    const { dueAt } = this.#current;
    this.end();
    this.#late(this.#clock.monotonic() - dueAt);
  }

  /** A request has broken, which shows nothing. */
  broke(epoch: number): void {
    if (epoch === this.#current?.epoch) this.end();
  }

  end(): void {
    const current = this.#current;
    this.#current = undefined;
    current?.timer.cancel();
    current?.exchange.close();
  }
}
