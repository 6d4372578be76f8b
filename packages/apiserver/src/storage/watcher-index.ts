// Watchers by prefix, so that a write visits only matching ones, however many watchers exist. A key
// such as `apps/deployments/shop/web` looks up its prefixes that end in "/", and its prefixes of
// all lengths of other watched prefixes.
// Upstream: go.etcd.io/etcd/server/v3/storage/mvcc/watcher_group.go.

/** Watchers of any kind, found by key. */
export class WatcherIndex<W> {
  readonly #byPrefix = new Map<string, Set<W>>();
  /** The number of watched prefixes that do not end in "/", by length. */
  readonly #oddLengths = new Map<number, number>();

  add(prefix: string, watcher: W): void {
    const watchers = this.#byPrefix.get(prefix);
    if (watchers) watchers.add(watcher);
    else {
      this.#byPrefix.set(prefix, new Set([watcher]));
      this.#countOdd(prefix, 1);
    }
  }

  remove(prefix: string, watcher: W): void {
    const watchers = this.#byPrefix.get(prefix);
    if (!watchers?.delete(watcher) || watchers.size) return;
    this.#byPrefix.delete(prefix);
    this.#countOdd(prefix, -1);
  }

  clear(): void {
    this.#byPrefix.clear();
    this.#oddLengths.clear();
  }

  /**
   * Visits all watchers of prefixes of `key`, shortest prefix first. Watchers may be added and
   * removed meanwhile.
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
