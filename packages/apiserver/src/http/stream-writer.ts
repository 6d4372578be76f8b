// Writes what streams push, once in a turn of the event loop: events that come together leave in
// one TLS record, after the response to the write that they are of. Watchers of the same events
// share the bytes, the frame of an HTTP/1.1 chunk included: ServerResponse.write makes three writes
// of a chunk, and a thousand watchers would frame it a thousand times.
import type { ServerResponse } from "node:http";

/** A stream that holds more does not wait for the turn: then its receiver may ask for a pause. */
const mostHeld = 64 * 1024;

/** The streams of a listener that are to be written in this turn. */
export class StreamTurns {
  readonly #atEnd: (flush: () => void) => void;
  #waiting: StreamWriter[] = [];

  /** `atEnd` calls a function at the end of the turn. */
  constructor(atEnd: (flush: () => void) => void) {
    this.#atEnd = atEnd;
  }

  add(writer: StreamWriter): void {
    if (this.#waiting.push(writer) > 1) return;
    this.#atEnd(() => {
      const waiting = this.#waiting;
      this.#waiting = [];
      let joined = none;
      for (const each of waiting) joined = each.flush(joined);
    });
  }
}

/** Frames that were written together, for the next stream with the same. */
interface Joined {
  readonly frames: readonly Uint8Array[];
  /** Each form is made when first needed. */
  chunk: Uint8Array | undefined;
  bytes: Uint8Array | undefined;
}

/** Writes one stream. */
export class StreamWriter {
  readonly #turns: StreamTurns;
  readonly #response: ServerResponse;
  /** The connection of a chunked response that has it to itself; undefined over HTTP/2. */
  readonly #socket: ServerResponse["socket"] | undefined;
  #frames: Uint8Array[] = [];
  #held = 0;
  #blocked = false;

  /** `drained` is called when the receiver takes more. The head has been written. */
  constructor(turns: StreamTurns, response: ServerResponse, drained: () => void) {
    this.#turns = turns;
    this.#response = response;
    const { socket } = response;
    this.#socket =
      !("stream" in response) && response.chunkedEncoding && socket ? socket : undefined;
    const source = this.#socket ?? response;
    const resume = (): void => {
      this.#blocked = false;
      drained();
    };
    source.on("drain", resume);
    response.once("close", () => source.off("drain", resume));
  }

  /** False asks for a pause. */
  push(frame: Uint8Array): boolean {
    // An empty chunk would end the response.
    if (!frame.length) return !this.#blocked;
    if (this.#frames.push(frame) === 1) this.#turns.add(this);
    this.#held += frame.length;
    if (this.#held > mostHeld) this.flush();
    return !this.#blocked;
  }

  /** Writes what is held. Returns it for the next stream; `last` is what that one returned. */
  flush(last: Joined = none): Joined {
    const frames = this.#frames;
    if (!frames.length) return last;
    this.#frames = [];
    this.#held = 0;
    const joined = isSame(frames, last.frames)
      ? last
      : { frames, chunk: undefined, bytes: undefined };
    this.#blocked = this.#socket
      ? !this.#socket.write((joined.chunk ??= toChunk(frames)))
      : !this.#response.write((joined.bytes ??= join(frames)));
    return joined;
  }

  /** Writes what is held, and ends the response. */
  end(): void {
    this.flush();
    this.#response.end();
  }
}

const none: Joined = { frames: [], chunk: undefined, bytes: undefined };

function isSame(a: readonly Uint8Array[], b: readonly Uint8Array[]): boolean {
  return a.length === b.length && a.every((frame, i) => frame === b[i]);
}

const join = (frames: readonly Uint8Array[]): Uint8Array =>
  frames.length === 1 ? frames[0]! : Buffer.concat(frames);

const lineEnd = Buffer.from("\r\n");

/** A chunk of RFC 9112, 7.1, e.g. `5\r\nhello\r\n`. */
function toChunk(frames: readonly Uint8Array[]): Uint8Array {
  const size = frames.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), ...frames, lineEnd]);
}
