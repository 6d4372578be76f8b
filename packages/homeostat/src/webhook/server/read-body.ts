// Reads the body of a request up to a limit.
import type { IncomingMessage } from "node:http";

/**
 * Calls `done` once with the body, or with undefined as soon as it is longer than `limit`. Never
 * calls it for a request that its client gives up.
 */
export function readBody(
  request: IncomingMessage,
  limit: number,
  done: (body: Uint8Array | undefined) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("error", () => {});
  request.on("data", (chunk: Buffer) => {
    const before = length;
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else if (before <= limit) done(undefined);
  });
  request.on("end", () => {
    if (length <= limit) done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length));
  });
}
