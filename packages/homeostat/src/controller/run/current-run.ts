// The run that the current code belongs to, also across awaits and timers.
import { AsyncLocalStorage } from "node:async_hooks";
import type { RunScope } from "./run-scope.ts";

/** Holds the run of the code that asks; undefined outside of runs. */
export const currentRun = new AsyncLocalStorage<RunScope>();
