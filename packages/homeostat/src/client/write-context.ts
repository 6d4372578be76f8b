// The work that the current code belongs to, also across awaits and timers.
import { AsyncLocalStorage } from "node:async_hooks";
import type { CompletedWrite } from "./client.ts";

/** What a client knows of the work that uses it. */
export interface CurrentWork {
  /** Receives the completed writes of its code, through any client. */
  wrote(write: CompletedWrite): void;
  readonly trace?: WorkTrace | undefined;
}

/** What follows the work, for those that have made it. */
export interface WorkTrace {
  wrote(write: CompletedWrite): void;
}

/** Holds the work of the code that asks; undefined outside of work. */
export const currentWork = new AsyncLocalStorage<CurrentWork>();
