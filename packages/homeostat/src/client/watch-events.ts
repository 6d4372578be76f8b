// A watch as an async iterable of parsed events. For scripts and tests; informers use the raw bytes
// (cache/).
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { ApiStatusError, type Status } from "../api/status.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ByteStreamHandlers, WatchEvent } from "./client.ts";
import { LineSplitter } from "./line-splitter.ts";
import { type Inbox, type OpenStream, readStream } from "./read-stream.ts";
import { readable } from "./readable.ts";
import { decodeJson } from "./request/decode-json.ts";

/** Iterates over one stream. `open` is called when iteration starts. */
export function watchEvents<O>(
  kind: Kind,
  open: (handlers: ByteStreamHandlers) => OpenStream,
): AsyncIterableIterator<WatchEvent<O>, void, void> {
  return readStream<WatchEvent<O>>((inbox) =>
    open(eventHandlers(kind, inbox, (error) => inbox.close(error))),
  );
}

/** Parses one stream into the inbox. */
export function eventHandlers<O>(
  kind: Kind,
  inbox: Pick<Inbox<WatchEvent<O>>, "push" | "feed">,
  closed: ByteStreamHandlers["closed"],
): ByteStreamHandlers {
  const splitter = new LineSplitter((line) => inbox.push(decodeEvent<O>(kind, line)));
  return {
    opened: () => {},
    data: (chunk) => inbox.feed(() => splitter.push(chunk)),
    closed,
  };
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
