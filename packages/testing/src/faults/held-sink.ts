// The answer to a watch, which can be held back and is delivered later, in order.
import type { ObjectChange, Sink } from "homeostat/api";

/** A sink before another one. */
export class HeldSink implements Sink {
  readonly #sink: Sink;
  readonly #options: HeldOptions;
  readonly #held: (() => void)[] = [];
  readonly change?: (change: ObjectChange) => boolean;
  #isDropped = false;
  /** The end is among what is held. */
  #hasEnded = false;

  constructor(sink: Sink, options: HeldOptions) {
    this.#sink = sink;
    this.#options = options;
    const { change } = sink;
    if (change) this.change = (one) => this.#pass(() => change.call(sink, one));
  }

  /** The resource that is watched. */
  get id(): string {
    return this.#options.id;
  }

  head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#sink.head(status, headers);
  }

  data(chunk: Uint8Array): boolean {
    return this.#pass(() => this.#sink.data(chunk));
  }

  end(): void {
    this.#end(() => this.#sink.end());
  }

  fail(error: Error): void {
    this.#end(() => this.#sink.fail(error));
  }

  /** Delivers what is held. */
  release(): void {
    for (const deliver of this.#held.splice(0)) deliver();
  }

  /** Its receiver leaves: what is held is for nobody. */
  drop(reason: unknown): void {
    this.#isDropped = true;
    this.#held.length = 0;
    if (this.#hasEnded) {
      this.#options.ended();
      const error = new Error("the watch was aborted", { cause: reason });
      this.#sink.fail(reason instanceof Error ? reason : error);
    }
  }

  #end(deliver: () => void): void {
    if (this.#isHeld()) this.#hasEnded = true;
    this.#pass(() => {
      this.#options.ended();
      deliver();
    });
  }

  #isHeld(): boolean {
    return !this.#isDropped && (this.#options.isHeld() || this.#held.length > 0);
  }

  #pass(deliver: () => unknown): boolean {
    if (!this.#isHeld()) return deliver() !== false;
    this.#held.push(deliver);
    return true;
  }
}

interface HeldOptions {
  readonly id: string;
  isHeld(): boolean;
  /** Its receiver has been told of its end. */
  ended(): void;
}
