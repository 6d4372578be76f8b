// Watchers by the prefix that they watch, so that a write visits only those whom it concerns,
// however many there are. A key such as `apps/deployments/shop/web` looks up its prefixes that end
// in "/" and, for the rest, the lengths in use.

/** Watchers of any kind, found by key. */
export class WatcherIndex<W> {
  readonly #byPrefix = new Map<string, Set<W>>();
  /** How many watched prefixes of a given length do not end in "/". */
  readonly #oddLengths = new Map<number, number>();

  add(prefix: string, watcher: W): void {
    const there = this.#byPrefix.get(prefix);
    if (there) there.add(watcher);
    else {
      this.#byPrefix.set(prefix, new Set([watcher]));
      this.#countOdd(prefix, 1);
    }
  }

  remove(prefix: string, watcher: W): void {
    const there = this.#byPrefix.get(prefix);
    if (!there?.delete(watcher) || there.size) return;
    this.#byPrefix.delete(prefix);
    this.#countOdd(prefix, -1);
  }

  clear(): void {
    this.#byPrefix.clear();
    this.#oddLengths.clear();
  }

  /**
   * Visits every watcher of a prefix of `key`, the shortest prefix first. Watchers may come and go
   * meanwhile.
   */
  visit(key: string, each: (watcher: W) => void): void {
    if (!this.#byPrefix.size) return;
    for (let at = key.indexOf("/"); at >= 0; at = key.indexOf("/", at + 1))
      this.#byPrefix.get(key.slice(0, at + 1))?.forEach(each);
    for (const length of this.#oddLengths.keys()) {
      if (length <= key.length && (length === 0 || key[length - 1] !== "/"))
        this.#byPrefix.get(key.slice(0, length))?.forEach(each);
    }
  }

  #countOdd(prefix: string, by: 1 | -1): void {
    if (prefix.endsWith("/")) return;
    const count = (this.#oddLengths.get(prefix.length) ?? 0) + by;
    if (count) this.#oddLengths.set(prefix.length, count);
    else this.#oddLengths.delete(prefix.length);
  }
}
