// A map that forgets its least recently used entry when it holds too many.
// Upstream: k8s.io/utils/lru/lru.go.

/** Holds `size` entries at most; `evicted` gets the value that is forgotten. */
export class LruCache<Value extends NonNullable<unknown>> {
  readonly #size: number;
  readonly #evicted: (value: Value) => void;
  /** The least recently used first. */
  readonly #entries = new Map<string, Value>();

  constructor(size: number, evicted: (value: Value) => void = () => {}) {
    this.#size = size;
    this.#evicted = evicted;
  }

  /** The value, which counts as used. */
  get(key: string): Value | undefined {
    const value = this.#entries.get(key);
    if (value !== undefined) this.#use(key, value);
    return value;
  }

  /** Replaces a value without evicting it. */
  set(key: string, value: Value): void {
    this.#use(key, value);
    if (this.#entries.size <= this.#size) return;
    const [oldest, forgotten] = this.#entries.entries().next().value!;
    this.#entries.delete(oldest);
    this.#evicted(forgotten);
  }

  /** Without evicting it. */
  delete(key: string): void {
    this.#entries.delete(key);
  }

  values(): Iterable<Value> {
    return this.#entries.values();
  }

  clear(): void {
    this.#entries.clear();
  }

  #use(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
  }
}
