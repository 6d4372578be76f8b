// Pushes frames to one receiver and holds them back while it is busy. The stream of a receiver that
// falls too far behind is ended; the client can resume.
import type { OpenStream, StreamSink } from "../../apimachinery/handler.ts";

/** Frames held back before the stream is ended; upstream's watch buffers are of this order. */
const maxHeldFrames = 20_000;

/** One open stream. */
export class PushStream implements OpenStream {
  readonly #sink: StreamSink;
  readonly #ended: () => void;
  #held: Uint8Array[] = [];
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

  push(frame: Uint8Array): void {
    if (!frame.length) return;
    if (!this.#open) return;
    if (!this.#busy) this.#busy = !this.#sink.data(frame);
    else if (this.#held.length < maxHeldFrames) this.#held.push(frame);
    else this.end();
  }

  resume(): void {
    this.#busy = false;
    const held = this.#held;
    this.#held = [];
    for (const frame of held) this.push(frame);
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
    this.#ended();
  }
}
