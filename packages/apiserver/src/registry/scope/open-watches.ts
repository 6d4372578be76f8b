// The open watches, which end at shutdown, or when their kind is no longer served.

/** A register of open watches. */
export class OpenWatches {
  readonly #byStorage = new Map<string, Set<() => void>>();

  /** `end` is called at most once, unless the watch is removed first. */
  add(storageKey: string, end: () => void): void {
    const known = this.#byStorage.get(storageKey);
    if (known) known.add(end);
    else this.#byStorage.set(storageKey, new Set([end]));
  }

  remove(storageKey: string, end: () => void): void {
    this.#byStorage.get(storageKey)?.delete(end);
  }

  /** Ends the watches on one kind's storage. */
  end(storageKey: string): void {
    const ends = this.#byStorage.get(storageKey) ?? [];
    this.#byStorage.delete(storageKey);
    for (const end of ends) end();
  }

  endAll(): void {
    for (const storageKey of [...this.#byStorage.keys()]) this.end(storageKey);
  }
}
