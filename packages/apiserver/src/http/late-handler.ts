// A handler for a port that opens before its server is ready: early requests wait for the server.
import type { Handler } from "../apimachinery/handler.ts";
import { plainText } from "../apimachinery/text-response.ts";

export interface LateHandler {
  readonly handler: Handler;
  /** Whether connections may be upgraded at a path; false before `open`. */
  upgrades(path: string): boolean;
  /** Passes waiting and later requests to `handler`. */
  open(handler: Handler, upgrades?: (path: string) => boolean): void;
  /** Responds to waiting and later requests with 503, unless `open` was called. */
  giveUp(): void;
}

/** Creates a late handler. */
export function createLateHandler(): LateHandler {
  const opened = Promise.withResolvers<Handler>();
  let current: Handler = async (request) => (await opened.promise)(request);
  let mayUpgrade = (_path: string): boolean => false;
  return {
    handler: (request) => current(request),
    upgrades: (path) => mayUpgrade(path),
    open(handler, upgrades) {
      current = handler;
      if (upgrades) mayUpgrade = upgrades;
      opened.resolve(handler);
    },
    giveUp: () => opened.resolve(async () => unavailable),
  };
}

const unavailable = plainText(503, "the server could not be started\n");
