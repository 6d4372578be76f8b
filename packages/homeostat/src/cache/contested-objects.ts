// The objects that several writers change: the cache keeps the managedFields of all of them, so
// that the other writer can be named. Few at a time, and each for a short time.

/** How long an object stays after the last time that it was contested. */
const keptMs = 30_000;

/** Objects by id, e.g. `v1/ConfigMap kitchen/menu`. */
export class ContestedObjects {
  readonly #times = new Map<string, number>();

  /** `at` is monotonic time in ms. */
  add(id: string, at: number): void {
    this.#times.delete(id);
    this.#times.set(id, at);
    for (const [oldest, time] of this.#times) {
      if (at - time <= keptMs) return;
      this.#times.delete(oldest);
    }
  }

  has(id: string): boolean {
    return this.#times.has(id);
  }

  /** `has` for keys of one kind, e.g. `kitchen/menu` of `v1/ConfigMap`; asked for every entry. */
  ofKind(kindId: string): (key: string) => boolean {
    return (key) => this.#times.size > 0 && this.#times.has(`${kindId} ${key}`);
  }
}
