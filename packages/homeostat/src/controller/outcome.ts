// How a reconcile reports why it is not done: values to return and errors to throw. Their texts are
// shown to people.
// Upstream: sigs.k8s.io/controller-runtime/pkg/reconcile/reconcile.go (Result, TerminalError).
import { parseDuration } from "../api/duration.ts";
import { checkArgument, checkOptions } from "../util/call-options.ts";
import { describeError } from "../util/describe-error.ts";
import { currentRun } from "./run/current-run.ts";

/** Why a reconcile is not done. Created by `wait` and `retry`; opaque to users. */
export interface Outcome {
  readonly "~outcome": OutcomeState;
}

/** The states behind an {@link Outcome}. */
export type OutcomeState =
  | { readonly at: "waiting"; readonly what: string; readonly ref?: string }
  | {
      readonly at: "retrying";
      readonly afterMs: number;
      readonly because: string;
      /** The failure of an earlier run, whose back-off goes on: this run is no success. */
      readonly failed?: unknown;
    };

/** What reconcile and finalize return or resolve to; undefined means done. */
export type Result = Outcome | void | Promise<Outcome | void>;

/** Ends a reconcile until a watched object changes. */
export interface Wait<Ref extends string> {
  /** Waits for the object behind a declared reference. */
  forRef(name: Ref): Outcome;
  /** Waits for a change of a watched object, e.g. `wait.for("3 of 5 meals to be cooked")`. */
  for(what: string): Outcome;
}

/** Ends a reconcile and schedules the next one. */
export interface Retry {
  /** Runs again after a duration such as `"30s"`, `"5m"`, `"1h30m"` or a number of milliseconds. */
  in(duration: string | number, options?: { readonly because: string }): Outcome;
}

/** Creates the `wait` of a context. `nameRef` describes a reference for people. */
export function createWait(nameRef: (name: string) => string): Wait<string> {
  return {
    for(what) {
      checkArgument("wait.for(…)", ["its argument", what], "a string");
      currentRun.getStore()?.made("wait.for(…)");
      return { "~outcome": { at: "waiting", what } };
    },
    forRef(name) {
      checkArgument("wait.forRef(…)", ["its argument", name], "a string");
      currentRun.getStore()?.made(`wait.forRef("${name}")`);
      return { "~outcome": { at: "waiting", what: nameRef(name), ref: name } };
    },
  };
}

/** Why a reconcile runs again that gives no reason. */
export const plainRetry = "the reconcile asked for it";

/** Schedules the next reconcile: `return retry.in("30s", { because: "the oven is hot" })`. */
export const retry: Retry = {
  in(duration, options = { because: plainRetry }) {
    checkOptions("retry.in(…)", options, { because: "a string" });
    const { because = plainRetry } = options as { readonly because?: string };
    currentRun.getStore()?.made("retry.in(…)");
    return { "~outcome": { at: "retrying", afterMs: parseDuration(duration), because } };
  },
};

/** Waits for the rest of the back-off after a failure, which stays what is said of the object. */
export function restOf(afterMs: number, failed: unknown): Outcome {
  return { "~outcome": { at: "retrying", afterMs, because: describeError(failed), failed } };
}

/** The rest of a back-off. */
export interface Rest {
  readonly afterMs: number;
  readonly failed: unknown;
}

/** Undefined for an outcome that waits for the rest of no back-off. */
export function restIn({ "~outcome": state }: Outcome): Rest | undefined {
  if (state.at !== "retrying" || state.failed === undefined) return undefined;
  return { afterMs: state.afterMs, failed: state.failed };
}

const brand = Symbol.for("homeostat.terminal-error");

/** An error that retrying cannot fix; the object is stalled until it changes. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly [brand] = true;
}

/** `throw terminal("unknown dish")`: no retry until the object changes. */
export function terminal(message: string, options?: { readonly cause?: unknown }): TerminalError {
  checkArgument("terminal(…)", ["its first argument", message], "a string");
  checkOptions("terminal(…)", options, { cause: "any value" });
  const error = new TerminalError(message, options);
  currentRun.getStore()?.made("terminal(…)", error);
  return error;
}

/** True for a {@link TerminalError} of any copy of this package. */
export function isTerminal(error: unknown): boolean {
  const isOne = typeof error === "object" && error !== null && brand in error;
  if (isOne) currentRun.getStore()?.received(error);
  return isOne;
}
