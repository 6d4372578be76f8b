// The memory that the event loop and its watchdog share: a beat, and which reconcile runs. The loop
// writes, also what it says of itself while it cannot; the watchdog reads, and notes that it has
// seen it blocked.

/** Numbers at the beginning, by their places. */
export const places = {
  /** Counts the beats. */
  beat: 0,
  /** 1 + the slot of the reconcile whose code runs; 0 when that is not known. */
  current: 1,
  /** Reconciles that have begun and not ended. */
  running: 2,
  /** Counts the times that the watchdog has seen the loop blocked. */
  seen: 3,
  /** The length of the text with which it has said so last. */
  said: 4,
  /** 1 ends the watchdog. */
  stop: 5,
  /** The length of the text of each slot; 0 for a free one. */
  lengths: 8,
} as const;

/** Reconciles that are named. */
export const slots = 16;
/** Bytes of a text. */
export const textBytes = 320;
/** Where texts begin: one for each slot, and what the watchdog has said. */
export const textsAt = 4 * (places.lengths + slots);

/** The loop's side. */
export class SharedHeartbeat {
  readonly memory = new SharedArrayBuffer(textsAt + (slots + 1) * textBytes);
  readonly #numbers = new Int32Array(this.memory, 0, places.lengths + slots);
  readonly #texts = Buffer.from(this.memory, textsAt);
  readonly #free = Array.from({ length: slots }, (_, slot) => slot);

  /** The loop turns. */
  beat(): void {
    Atomics.add(this.#numbers, places.beat, 1);
  }

  /** A reconcile begins, which is the one whose code runs. Undefined when too many are named. */
  begin(title: string): number | undefined {
    Atomics.add(this.#numbers, places.running, 1);
    const slot = this.#free.pop();
    if (slot === undefined) return undefined;
    const length = this.#texts.write(title, slot * textBytes, textBytes, "utf8");
    Atomics.store(this.#numbers, places.lengths + slot, length);
    this.mark(slot);
    return slot;
  }

  end(slot: number | undefined): void {
    Atomics.sub(this.#numbers, places.running, 1);
    if (slot === undefined) return;
    Atomics.store(this.#numbers, places.lengths + slot, 0);
    Atomics.compareExchange(this.#numbers, places.current, slot + 1, 0);
    this.#free.push(slot);
  }

  /** The code of the reconcile in this slot goes on. */
  mark(slot: number | undefined): void {
    Atomics.store(this.#numbers, places.current, slot === undefined ? 0 : slot + 1);
  }

  /** How often the watchdog has seen the loop blocked. */
  get seen(): number {
    return Atomics.load(this.#numbers, places.seen);
  }

  /** What was blocked, as the watchdog has said last, e.g. `, in the reconcile of shop/a`. */
  get said(): string {
    const at = slots * textBytes;
    const length = Atomics.load(this.#numbers, places.said);
    return this.#texts.toString("utf8", at, at + length);
  }

  /** Ends the watchdog. */
  stop(): void {
    Atomics.store(this.#numbers, places.stop, 1);
    Atomics.notify(this.#numbers, places.stop);
  }
}
