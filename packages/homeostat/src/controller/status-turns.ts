// One status write of an object at a time, for all controllers of a manager. Each states the
// highest generation that any of them has observed, so that a write that began earlier and arrives
// later would set `status.observedGeneration` back.

/** The status writes in flight, by the object's uid. */
export class StatusTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `write` once the earlier ones of this object have settled. Rejects as `write` does. */
  async take<T>(uid: string, write: () => Promise<T>): Promise<T> {
    const earlier = this.#last.get(uid);
    const turn = earlier ? earlier.then(write, write) : write();
    this.#last.set(uid, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(uid) === turn) this.#last.delete(uid);
    }
  }

  /** Number of objects with a write in flight. */
  get size(): number {
    return this.#last.size;
  }
}
