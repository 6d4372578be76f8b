// Which writes the current code has made, also across awaits and timers, through any client.
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompletedWrite } from "./client.ts";

/** Receives the completed writes of the code that runs in it. */
export const currentWrites = new AsyncLocalStorage<(write: CompletedWrite) => void>();
