// Pushes frames to one receiver and holds them back while it is busy. The stream of a receiver that
// falls too far behind the changes is ended; the client can resume. What a watch begins with, its
// objects and the changes since its revision, may be of any size.
import type { ObjectChange } from "homeostat/api";
import type { OpenStream, StreamSink } from "../../apimachinery/handler.ts";

/** Frames held back before the stream is ended; upstream's watch buffers are of this order. */
const maxHeldFrames = 20_000;

/** One open stream. */
export class PushStream implements OpenStream {
  readonly #sink: StreamSink;
  readonly #ended: () => void;
  #held: Uint8Array[] = [];
  /** Frames that are made as the receiver takes them; those of `#held` come later. */
  #fed: { readonly frames: Iterator<Uint8Array>; readonly done: () => void } | undefined;
  #limit = maxHeldFrames;
  #busy = false;
  #open = true;

  /** `ended` is called once, whichever side ends the stream. */
  constructor(sink: StreamSink, ended: () => void) {
    this.#sink = sink;
    this.#ended = ended;
  }

  get open(): boolean {
    return this.#open;
  }

  /** True while frames are held back. */
  get busy(): boolean {
    return this.#busy;
  }

  /** True when the receiver takes changes without text, and would take one now. */
  get takesChanges(): boolean {
    return this.#open && !this.#busy && this.#sink.change !== undefined;
  }

  /** Pushes a change, which {@link takesChanges} allowed. */
  change(change: ObjectChange): void {
    this.#busy = !this.#sink.change!(change);
  }

  push(frame: Uint8Array): void {
    if (!frame.length) return;
    if (!this.#open) return;
    if (!this.#busy) this.#busy = !this.#sink.data(frame);
    else if (this.#held.length < this.#limit) this.#held.push(frame);
    else this.end();
  }

  /**
   * Pushes frames as fast as the receiver takes them, then calls `done`. Nothing else meanwhile.
   */
  feed(frames: Iterator<Uint8Array>, done: () => void): void {
    this.#fed = { frames, done };
    this.#continueFeed();
  }

  /** What `work` pushes is held whatever its size, and does not count as falling behind. */
  withoutLimit<T>(work: () => T): T {
    this.#limit = Infinity;
    try {
      return work();
    } finally {
      this.#limit = this.#held.length + maxHeldFrames;
    }
  }

  resume(): void {
    this.#busy = false;
    let sent = 0;
    while (!this.#busy && sent < this.#held.length)
      this.#busy = !this.#sink.data(this.#held[sent++]!);
    this.#held.splice(0, sent);
    // The allowance of a backlog shrinks with it.
    this.#limit = Math.max(maxHeldFrames, Math.min(this.#limit, this.#held.length + maxHeldFrames));
    this.#continueFeed();
  }

  #continueFeed(): void {
    while (this.#fed && !this.#busy && this.#open) {
      const { frames, done } = this.#fed;
      const { value, done: isDone } = frames.next();
      if (!isDone) this.push(value);
      else {
        this.#fed = undefined;
        done();
      }
    }
  }

  /** Ends from the server's side. */
  end(): void {
    if (!this.#open) return;
    this.close();
    this.#sink.end();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#held = [];
    this.#fed = undefined;
    this.#ended();
  }
}
