// A watch as an async iterable of parsed events, with back-pressure: the stream pauses while the
// reader is behind. For scripts and tests; informers use the raw bytes (cache/).
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { ApiStatusError, type Status } from "../api/status.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ByteStreamHandlers, WatchEvent } from "./client.ts";
import { LineSplitter } from "./line-splitter.ts";
import { readable } from "./readable.ts";
import { decodeJson } from "./request/decode-json.ts";

/** Number of buffered events at which the stream pauses. */
const highWater = 256;

/** Iterates over one stream. `open` is called when iteration starts. */
export async function* watchEvents<O>(
  kind: Kind,
  open: (handlers: ByteStreamHandlers) => { resume(): void; close(): void },
): AsyncGenerator<WatchEvent<O>, void, void> {
  const inbox = new Inbox<O>();
  const splitter = new LineSplitter((line) => inbox.push(decodeEvent<O>(kind, line)));
  const stream = open({
    opened: () => {},
    data: (chunk) => inbox.guard(() => splitter.push(chunk)),
    closed: (error) => inbox.close(error),
  });
  try {
    for (;;) {
      const event = await inbox.next(() => stream.resume());
      if (!event) return;
      yield event;
    }
  } finally {
    stream.close();
  }
}

function decodeEvent<O>(kind: Kind, line: Uint8Array): WatchEvent<O> {
  const event = decodeJson(line) as {
    readonly type?: unknown;
    readonly object?: JsonObject;
  } | null;
  if (typeof event?.type !== "string" || !event.object) {
    throw new HomeostatError(
      "ERR_CLIENT_WATCH_EVENT",
      `reading a watch: expected {"type":…,"object":…}, got ${new TextDecoder().decode(line.subarray(0, 200))}`,
      {
        hint: "A proxy between client and server may have modified the stream.",
      },
    );
  }
  if (event.type === "ERROR") throw new ApiStatusError(event.object as unknown as Status);
  return {
    ...event,
    object: event.type === "BOOKMARK" ? event.object : readable(kind, event.object),
  } as unknown as WatchEvent<O>;
}

/** Buffers events between stream and reader. */
class Inbox<O> {
  #events: WatchEvent<O>[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;
  #paused = false;

  push(event: WatchEvent<O>): void {
    this.#events.push(event);
    this.#wake?.();
  }

  /** Runs `feed`; an error ends the stream. Returns false when the stream must pause. */
  guard(feed: () => void): boolean {
    try {
      feed();
    } catch (error) {
      this.close(error as Error);
    }
    this.#paused = this.#events.length >= highWater;
    return !this.#paused;
  }

  close(error: Error | undefined): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  async next(resume: () => void): Promise<WatchEvent<O> | undefined> {
    while (this.#events.length === 0 && !this.#end)
      await new Promise<void>((resolve) => (this.#wake = resolve));
    const event = this.#events.shift();
    if (this.#paused && this.#events.length === 0) {
      this.#paused = false;
      resume();
    }
    if (!event && this.#end?.error) throw this.#end.error;
    return event;
  }
}
