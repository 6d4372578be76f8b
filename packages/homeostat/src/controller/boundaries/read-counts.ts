// Which keys of a map are read by name: a copy or a comparison of the whole map reads all keys
// equally often, so a key that is read more often than another is.

/** How often each key has been read since the code yielded last. */
export class ReadCounts {
  readonly #read: (key: string) => void;
  readonly #counts = new Map<string, number>();
  #isWaiting = false;

  /** `read` receives the keys once the code that has read them has yielded. */
  constructor(read: (key: string) => void) {
    this.#read = read;
  }

  /** Follows a key from now on. */
  follow(key: string): void {
    if (!this.#counts.has(key)) this.#counts.set(key, 0);
  }

  /** Counts a read; false for keys that are not followed. */
  counts(key: string): boolean {
    const count = this.#counts.get(key);
    if (count === undefined) return false;
    this.#counts.set(key, count + 1);
    if (!this.#isWaiting) queueMicrotask(() => this.#judge());
    this.#isWaiting = true;
    return true;
  }

  #judge(): void {
    this.#isWaiting = false;
    const fewest = Math.min(...this.#counts.values());
    for (const [key, count] of this.#counts) {
      this.#counts.set(key, 0);
      if (count > fewest) this.#read(key);
    }
  }
}
