// The run that the current code belongs to, also across awaits and timers.
import type { AsyncLocalStorage } from "node:async_hooks";
import { currentWork, type CurrentWork } from "../../client/write-context.ts";
import type { PhaseHost } from "../phase-machine/phase-host.ts";
import type { SignalUse } from "../signals/signal-use.ts";
import type { Attempt } from "./attempt-observer.ts";

/** What code that runs may know of its run. */
export interface CurrentRun extends CurrentWork {
  readonly hasEnded: boolean;
  readonly phaseHost: PhaseHost | undefined;
  readonly usedSignals: SignalUse | undefined;
  /** Undefined unless attempts are recorded. */
  readonly attempt?: Attempt | undefined;
  /** Records a result that the user's code has made, and the error that it is. */
  made(what: string, error?: Error): void;
  /** The user's code has caught an error, and asks what it is. */
  received(error: unknown): void;
  /** Receives an error that no code received. */
  stray(error: unknown): void;
}

/**
 * Holds the run of the code that asks; undefined outside of runs. All work that the client knows is
 * a run: a second storage would be one more map for each of them.
 */
export const currentRun = currentWork as AsyncLocalStorage<CurrentRun>;
