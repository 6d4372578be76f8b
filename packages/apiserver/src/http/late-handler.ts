// A handler for a port that opens before its server is ready: early requests wait for the server.
import type { ApiResponse, Handler } from "../apimachinery/handler.ts";

export interface LateHandler {
  readonly handler: Handler;
  /** Passes waiting and later requests to `handler`. */
  open(handler: Handler): void;
  /** Responds to waiting and later requests with 503, unless `open` was called. */
  giveUp(): void;
}

/** Creates a late handler. */
export function createLateHandler(): LateHandler {
  const opened = Promise.withResolvers<Handler>();
  let current: Handler = async (request) => (await opened.promise)(request);
  return {
    handler: (request) => current(request),
    open(handler) {
      current = handler;
      opened.resolve(handler);
    },
    giveUp: () => opened.resolve(async () => unavailable),
  };
}

const unavailable: ApiResponse = {
  status: 503,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: new TextEncoder().encode("the server could not be started\n"),
};
