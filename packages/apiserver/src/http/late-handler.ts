// A handler that is there before the server is: its port is known, and whoever comes too early
// waits.
import type { ApiResponse, Handler } from "../apimachinery/handler.ts";

export interface LateHandler {
  readonly handler: Handler;
  /** Lets in whoever has waited, and all that come later. */
  open(handler: Handler): void;
  /** Answers that nobody will come any more; nothing where somebody has. */
  giveUp(): void;
}

/** Creates one. */
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
