// A watch whose events faults may hold back, leave out or replace by its end.
import type { ByteStream, OpenStream, StreamSink } from "../apimachinery/handler.ts";
import type { FaultTable, OpenWatch } from "./fault-table.ts";
import type { Faultable } from "./match-request.ts";

const bookmark = Buffer.from('{"type":"BOOKMARK"');

/** Wraps the stream that answers `request`. */
export const faultyStream = (
  stream: ByteStream,
  request: Faultable,
  table: FaultTable,
): ByteStream => ({ open: (sink) => new FaultyStream(stream, request, table, sink) });

/** One open watch. */
export class FaultyStream implements OpenStream, OpenWatch {
  readonly request: Faultable;
  readonly #table: FaultTable;
  readonly #sink: StreamSink;
  readonly #inner: OpenStream;
  /** Set while a fault freezes it. */
  #frozen: Uint8Array[] | undefined;
  #hasEnded = false;

  constructor(stream: ByteStream, request: Faultable, table: FaultTable, sink: StreamSink) {
    this.request = request;
    this.#table = table;
    this.#sink = sink;
    table.opened(this);
    this.#inner = stream.open({
      data: (frame) => this.#data(frame),
      end: () => this.#innerEnded(() => sink.end()),
      cut: () => this.#innerEnded(() => (sink.cut ? sink.cut() : sink.end())),
    });
    if (this.#hasEnded) this.#inner.close();
  }

  resume(): void {
    this.#inner.resume();
  }

  /** The receiver is gone. */
  close(): void {
    this.#leave();
    this.#inner.close();
  }

  /** Ends the watch from the server's side. */
  end(): void {
    if (this.#hasEnded) return;
    this.#leave();
    this.#inner?.close();
    this.#sink.end();
  }

  /** Sends what is held back, unless another fault freezes it. */
  thaw(): void {
    const frames = this.#frozen;
    this.#frozen = undefined;
    for (const frame of frames ?? []) this.#data(frame);
  }

  #data(frame: Uint8Array): boolean {
    if (this.#hasEnded) return true;
    if (this.#frozen) return (this.#frozen.push(frame), true);
    if (!isEvent(frame)) return this.#sink.data(frame);
    switch (this.#table.event(this.request)) {
      case "freeze":
        this.#frozen = [frame];
        return true;
      case "skip":
        return true;
      case "close":
        // The stream may be opening: it is closed once it is known.
        this.#leave();
        queueMicrotask(() => this.#inner.close());
        this.#sink.end();
        return true;
      default:
        return this.#sink.data(frame);
    }
  }

  #innerEnded(tell: () => void): void {
    if (this.#hasEnded) return;
    this.#leave();
    tell();
  }

  #leave(): void {
    this.#hasEnded = true;
    this.#frozen = undefined;
    this.#table.closed(this);
  }
}

/** Frames of protobuf are all taken for events. */
const isEvent = (frame: Uint8Array): boolean =>
  Buffer.compare(bookmark, frame.subarray(0, bookmark.length)) !== 0;
