// A promise that knows whether its result was asked for: the way to find a forgotten `await`.

/** A promise that records calls of `then`, `catch` and `finally`, and so `await`. */
export class TrackedPromise<T> extends Promise<T> {
  #isAwaited = false;

  /** Derived promises are plain ones. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Follows `work`. A rejection that is never asked for ends no process. */
  static follow<T>(work: Promise<T>): TrackedPromise<T> {
    const tracked = new TrackedPromise<T>((resolve, reject) => void work.then(resolve, reject));
    void Promise.prototype.then.call(tracked, undefined, () => {});
    return tracked;
  }

  /** True once the result was asked for. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#isAwaited = true;
    return super.then(fulfilled, rejected);
  }
}
