// One reader of a stream. What it has not taken waits in a buffer of fixed size; what does not fit
// is counted, and the reader is told how much it has missed. One that takes nothing for a minute is
// left.
import type { PortStream } from "../../serving/port-stream.ts";
import { Sight } from "./sight.ts";
import { type EventQuery, formatEvent, isAskedFor, type StreamEvent } from "./stream-event.ts";
import type { Viewer } from "../viewer.ts";

/** Characters that wait for a reader, beside what its connection buffers. */
const mostBuffered = 128 * 1024;

/** A reader that takes nothing for so long is left. */
const blockedMs = 60_000;

/** Rights are looked at again at least so often: the client connects anew. */
const longestMs = 30 * 60_000;

/** How a reader reads. */
export interface ReaderOptions {
  readonly query: EventQuery;
  /** Undefined for one that may see all. */
  readonly viewer: Viewer | undefined;
  /** Monotonic time in ms. */
  now(): number;
  /** It has left, or was left. */
  closed(reader: StreamReader): void;
}

export class StreamReader {
  readonly #options: ReaderOptions;
  readonly #sight: Sight | undefined;
  readonly #openedAt: number;
  #sink: PortStream | undefined;
  #buffer: string[] = [];
  #buffered = 0;
  #missed = 0;
  #hidden = 0;
  #saidHidden = 0;
  /** Since when its connection takes nothing. */
  #blockedSince: number | undefined;
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#openedAt = options.now();
    const { viewer, now } = options;
    if (viewer) this.#sight = new Sight({ viewer, now, decided: (...late) => this.#late(...late) });
  }

  /** Undefined for one that may see all. */
  get sight(): Sight | undefined {
    return this.#sight;
  }

  /** Its connection. */
  attach(sink: PortStream): void {
    this.#sink = sink;
    sink.onDrain(() => {
      this.#blockedSince = undefined;
      this.flush();
    });
    sink.onClose(() => this.#leave());
  }

  /** Buffers an event that is asked for and may be seen. */
  take(event: StreamEvent): void {
    if (this.#isClosed || !isAskedFor(event, this.#options.query)) return;
    if (event.about && this.#sight) {
      const isAllowed = this.#sight.allows(event.about.seen);
      if (isAllowed !== true) {
        if (isAllowed === false) this.#hidden++;
        return;
      }
    }
    this.#push(event.text);
  }

  /** Says something that every reader is told. */
  say(name: string, data: object): void {
    if (!this.#isClosed) this.#push(formatEvent(name, data));
  }

  /** Sends what is buffered, as far as the connection takes it. */
  flush(): void {
    if (!this.#sink || this.#isClosed || this.#blockedSince !== undefined) return;
    if (this.#buffer.length > 0) this.#send(this.#buffer.join(""));
    this.#buffer = [];
    this.#buffered = 0;
    if (this.#missed === 0 || this.#blockedSince !== undefined) return;
    const missed = this.#missed;
    this.#missed = 0;
    this.#send(formatEvent("missed", { missed }));
  }

  /** Keeps the connection alive, and leaves a reader that takes nothing, or has read for long. */
  beat(): void {
    const now = this.#options.now();
    if (this.#blockedSince !== undefined) {
      if (now - this.#blockedSince >= blockedMs) this.#sink?.destroy();
      return;
    }
    if (this.#hidden > this.#saidHidden) this.say("hidden", { hidden: this.#hidden });
    this.#saidHidden = this.#hidden;
    this.#push(": heartbeat\n\n");
    if (now - this.#openedAt >= longestMs) this.close("connect again");
  }

  /** Ends the stream, at once when nobody reads it. */
  close(because: string): void {
    if (this.#isClosed) return;
    this.say("end", { because });
    this.flush();
    if (this.#blockedSince === undefined) this.#sink?.end();
    else this.#sink?.destroy();
    this.#leave();
  }

  #push(text: string): void {
    if (this.#buffered + text.length > mostBuffered) {
      this.#missed++;
      return;
    }
    this.#buffer.push(text);
    this.#buffered += text.length;
  }

  #send(text: string): void {
    if (!this.#sink!.write(text)) this.#blockedSince = this.#options.now();
  }

  #late(events: number, isAllowed: boolean): void {
    if (isAllowed) this.#missed += events;
    else this.#hidden += events;
  }

  #leave(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#buffer = [];
    this.#options.closed(this);
  }
}
