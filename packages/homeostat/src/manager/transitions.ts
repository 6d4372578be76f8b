// The two transitions of a manager: it starts once, and stops once, also while it starts.
import { checkOptions } from "../util/call-options.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

/** A manager in one of its two transitions. */
export interface LifeCycle {
  /** @throws ERR_MANAGER_STATE, ERR_MANAGER_STOPPED, ERR_MANAGER_SYNC, ERR_CONTROLLER_RUNNING */
  start(): Promise<void>;
  /** Idempotent; also ends a start. With a time, it is over by then, also when it is under way. */
  stop(options?: StopOptions): Promise<void>;
}

/** How long a stop may take. */
export interface StopOptions {
  /** Milliseconds; 0 cuts all that is under way. Default: `shutdownTimeoutMs`. */
  readonly timeoutMs?: number | undefined;
}

/** What the transitions do. */
export interface Transitions {
  /** Aborts when the manager is asked to stop. */
  readonly stopping: AbortController;
  /** Called once. */
  start(): Promise<void>;
  /** The stop may take no longer than this; called before it, and while it is under way. */
  hurry(ms: number): void;
  /** Called once; `starting` is the start, if there was one. */
  stop(starting: Promise<void> | undefined): Promise<void>;
}

/** Creates the life cycle of an operator's manager. */
export function createTransitions(operator: string, transitions: Transitions): LifeCycle {
  let starting: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;
  return {
    async start() {
      if (starting || stopped)
        throw new HomeostatError(
          "ERR_MANAGER_STATE",
          `starting ${operator}: the manager ${stopped ? "is stopped" : "is already started"}`,
          { hint: "create a new manager for each start" },
        );
      starting = transitions.start();
      await starting;
    },
    stop(options) {
      try {
        checkOptions("manager.stop(…)", options, { timeoutMs: "a number" });
      } catch (error) {
        return Promise.reject(error as Error);
      }
      transitions.stopping.abort();
      if (options?.timeoutMs !== undefined) transitions.hurry(options.timeoutMs);
      stopped ??= transitions.stop(starting);
      return stopped;
    },
  };
}

/** @throws ERR_MANAGER_STOPPED */
export function refuseIfStopped(operator: string, stopping: AbortController): void {
  if (!stopping.signal.aborted) return;
  throw new HomeostatError(
    "ERR_MANAGER_STOPPED",
    `starting ${operator}: the manager was stopped before it had started`,
    { hint: "create a new manager to start again" },
  );
}
