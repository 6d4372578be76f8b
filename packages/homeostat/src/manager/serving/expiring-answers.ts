// Answers that hold for a while, by question: each question is asked once at a time, and an error
// is not kept.
// Upstream: k8s.io/apiserver/pkg/authentication/token/cache.
import type { Clock } from "../../runtime/clock.ts";

/** An answer, and how long it holds. */
export interface HeldAnswer<T> {
  readonly value: T;
  readonly holdsMs: number;
}

interface Held<T> {
  readonly answer: Promise<HeldAnswer<T>>;
  /** Infinity until it is known. */
  until: number;
}

/** Keeps the latest so many: clients can invent any number of questions. */
const most = 1000;

export class ExpiringAnswers<T> {
  readonly #clock: Clock;
  readonly #held = new Map<string, Held<T>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async get(question: string, ask: () => Promise<HeldAnswer<T>>): Promise<T> {
    const before = this.#held.get(question);
    if (before && this.#clock.monotonic() < before.until) return (await before.answer).value;
    const held: Held<T> = { answer: ask(), until: Infinity };
    this.#held.delete(question);
    this.#held.set(question, held);
    if (this.#held.size > most) this.#held.delete(this.#held.keys().next().value!);
    try {
      const { value, holdsMs } = await held.answer;
      held.until = this.#clock.monotonic() + holdsMs;
      return value;
    } catch (error) {
      if (this.#held.get(question) === held) this.#held.delete(question);
      throw error;
    }
  }
}
