// The phases of a long procedure: each observes, decides, and acts on what it has decided.
import type { Json } from "../../api/json.ts";
import { checkPhase } from "./check-phases.ts";

/** What a phase decides. Made by {@link Decide}. */
export type Decision<Name extends string = string, Action = unknown> =
  | { readonly does: "go"; readonly to: Name }
  | { readonly does: "act"; readonly action: Action }
  | { readonly does: "wait"; readonly what: string }
  | { readonly does: "fail"; readonly because: string };

/** The decisions of a phase. */
export interface Decide {
  /** Goes on to another phase. */
  go<const Name extends string>(to: Name): Decision<Name, never>;
  /**
   * Calls `act`, then observes again. While the same action is decided after that, its effect is
   * awaited: it is repeated after 1 s, 2 s, 4 s, at most 1 min. Another action is called at once.
   */
  act<Action>(action: Action): Decision<never, Action>;
  /** Waits for a change of a watched object, at most until the deadline. */
  wait(what: string): Decision<never, never>;
  /** Gives up: what earlier phases did is undone, last phase first. */
  fail(because: string): Decision<never, never>;
}

/** What is known of the current attempt. */
export interface Attempt {
  /** From 1; grows with calls that fail. */
  readonly attempt: number;
}

/** The functions and limits of a phase. */
export interface PhaseDefinition<Context, Name extends string, Observed, Action> {
  /** Reads the state of the world. Changes nothing. */
  observe(context: Context): Promise<Observed> | Observed;
  /** Must be pure. */
  decide(observed: Observed, decide: Decide): Decision<Name, Action>;
  /**
   * Does what was decided. It may be repeated, so it must be idempotent. A call that throws, is
   * cut by the deadline of the reconcile, or by a crash, has failed: it is repeated after 1 s, 2 s,
   * 4 s, at most 1 min, or the longer back-off of the controller, `retries` times.
   */
  act?(context: Context, action: Action, attempt: Attempt): Promise<void> | void;
  /** Undoes what `act` did, or began to do. Must be idempotent; repeated until it succeeds. */
  undo?(context: Context): Promise<void> | void;
  /** Time in this phase, after which it fails; a pause does not count. Default: none. */
  readonly deadline?: string | number;
  /** Failed calls of `act` in this phase that are repeated. Default 5. */
  readonly retries?: number;
}

/** A phase; one without `decide` is an end. */
export interface Phase<Context, Name extends string> {
  readonly "~phase": PhaseDefinition<Context, Name, any, any> | undefined;
}

/** Declares a phase. @throws ERR_PHASE_DEFINITION */
export function phase<Context, Name extends string, Observed, Action = never>(
  definition: PhaseDefinition<Context, Name, Observed, Action>,
): Phase<Context, Name> {
  checkPhase(definition);
  return { "~phase": definition };
}

/** A phase in which the procedure is done. */
export const finalPhase: Phase<unknown, never> = { "~phase": undefined };

export const decide: Decide = {
  go: (to) => ({ does: "go", to }),
  act: (action) => ({ does: "act", action }),
  wait: (what) => ({ does: "wait", what }),
  fail: (because) => ({ does: "fail", because }),
};

/** The state of a machine, as it is kept in status. Times are RFC 3339. */
export interface PhaseState {
  readonly phase: string;
  /** When the phase began; moved on by pauses. */
  readonly since: string;
  /** Calls of `act` in this phase that have failed, and one that has begun and not succeeded. */
  readonly attempts: number;
  /** True while `act` runs, and after a run that was cut in it. */
  readonly acts: boolean;
  /** Phases to undo, first one first; a phase is listed before it acts. */
  readonly undo: readonly string[];
  /** Why it fails; until `undo` is empty, it is being undone. */
  readonly failure?: string | undefined;
  readonly pausedSince?: string | undefined;
  /** What the procedure is about; see the machine's `key`. */
  readonly key?: string | undefined;
}

/** A state as a value of status. */
export const toJson = (state: PhaseState): Json =>
  Object.fromEntries(
    Object.entries(state).filter(([, value]) => value !== undefined),
  ) as unknown as Json;
