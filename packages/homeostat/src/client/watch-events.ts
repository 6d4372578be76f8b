// A watch as an async iterable of parsed events. For scripts and tests; informers use the raw bytes
// (cache/).
import type { JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { ApiStatusError, type Status } from "../api/status.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ByteStreamHandlers, WatchEvent } from "./client.ts";
import { LineSplitter } from "./line-splitter.ts";
import { type OpenStream, readStream } from "./read-stream.ts";
import { readable } from "./readable.ts";
import { decodeJson } from "./request/decode-json.ts";

/** Iterates over one stream. `open` is called when iteration starts. */
export function watchEvents<O>(
  kind: Kind,
  open: (handlers: ByteStreamHandlers) => OpenStream,
): AsyncGenerator<WatchEvent<O>, void, void> {
  return readStream<WatchEvent<O>>((inbox) => {
    const splitter = new LineSplitter((line) => inbox.push(decodeEvent<O>(kind, line)));
    return open({
      opened: () => {},
      data: (chunk) => inbox.feed(() => splitter.push(chunk)),
      closed: (error) => inbox.close(error),
    });
  });
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
