// The open watches, which end at shutdown, or when the definition of their kind changes or goes.

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
    const known = this.#byStorage.get(storageKey);
    known?.delete(end);
    if (known?.size === 0) this.#byStorage.delete(storageKey);
  }

  /** Returns a function that ends those watches on one kind's storage that are open now. */
  openOn(storageKey: string): () => void {
    const known = this.#byStorage.get(storageKey);
    const open = [...(known ?? [])];
    return () => {
      for (const end of open) if (known?.has(end)) end();
    };
  }

  endAll(): void {
    for (const storageKey of [...this.#byStorage.keys()]) this.openOn(storageKey)();
  }
}
