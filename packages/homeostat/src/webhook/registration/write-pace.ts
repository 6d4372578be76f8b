// When an object that another writer changes back is written again. Two writers that both insist
// would otherwise write as fast as the server answers. Pure.

/** A change within this time of the last write is the other writer's answer to it. */
const answerMs = 5000;
const [firstMs, lastMs] = [1000, 30_000];

/** The pace of one object. Times are monotonic. */
export class WritePace {
  #last: { readonly text: string; readonly at: number } | undefined;
  /** Writes in a row that another writer has undone. */
  #undone = 0;
  #isUndone = false;

  /** How long a write of `text` is to wait; 0 for now. Called when it is due. */
  waitMs(text: string, now: number): number {
    const last = this.#last;
    if (last?.text !== text) return 0;
    if (!this.#isUndone) {
      this.#isUndone = true;
      this.#undone = now - last.at < answerMs ? this.#undone + 1 : 1;
    }
    const pauseMs = this.isContested ? Math.min(firstMs * 2 ** (this.#undone - 2), lastMs) : 0;
    return Math.max(0, last.at + pauseMs - now);
  }

  wrote(text: string, now: number): void {
    this.#last = { text, at: now };
    this.#isUndone = false;
  }

  /** Two writes in a row were undone. */
  get isContested(): boolean {
    return this.#undone >= 2;
  }

  /** How long the last write has yet to stand for the contest to be over; Infinity without one. */
  restMs(now: number): number {
    if (!this.isContested || this.#isUndone) return Infinity;
    const leftMs = this.#last!.at + answerMs - now;
    if (leftMs > 0) return leftMs;
    this.#undone = 0;
    return Infinity;
  }
}
