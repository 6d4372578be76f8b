// How a reconcile says why it is not done: values that are returned or thrown, and that people are
// shown.
import { HomeostatError } from "../util/homeostat-error.ts";

/**
 * What a reconcile ended with, short of being done. Made by `wait` and `retry`; opaque to users.
 */
export interface Outcome {
  readonly "~outcome": OutcomeState;
}

/** The states behind an {@link Outcome}. */
export type OutcomeState =
  | { readonly at: "waiting"; readonly what: string; readonly ref?: string }
  | { readonly at: "retrying"; readonly afterMs: number; readonly because: string };

/** What reconcile and finalize return or resolve to; nothing means done. */
export type Result = Outcome | void | Promise<Outcome | void>;

/** Ends a reconcile until something changes. */
export interface Wait<Ref extends string> {
  /** Waits for the object behind a declared reference. */
  forRef(name: Ref): Outcome;
  /** Waits for something that a watch will tell, e.g. `wait.for("3 of 5 meals to be cooked")`. */
  for(what: string): Outcome;
}

/** Ends a reconcile for a while. */
export interface Retry {
  /** Runs again after a duration such as `"30s"`, `"5m"`, `"1h30m"` or a number of milliseconds. */
  in(duration: string | number, options?: { readonly because: string }): Outcome;
}

/** The `wait` of a context. `nameRef` words a reference for people. */
export function createWait(nameRef: (name: string) => string): Wait<string> {
  return {
    for: (what) => ({ "~outcome": { at: "waiting", what } }),
    forRef: (name) => ({ "~outcome": { at: "waiting", what: nameRef(name), ref: name } }),
  };
}

/** Ends a reconcile for a while: `return retry.in("30s", { because: "the oven is hot" })`. */
export const retry: Retry = {
  in: (duration, { because } = { because: "it asked to" }) => ({
    "~outcome": { at: "retrying", afterMs: parseDuration(duration), because },
  }),
};

const brand = Symbol.for("homeostat.terminal-error");

/** An error that no retry will mend; the object is stalled until it changes. */
export class TerminalError extends Error {
  override readonly name = "TerminalError";
  readonly [brand] = true;
}

/**
 * `throw terminal("the spec asks for a dish that nobody can cook")`: do not retry until the object
 * changes.
 */
export function terminal(message: string, options?: { readonly cause?: unknown }): TerminalError {
  return new TerminalError(message, options);
}

/** True for a {@link TerminalError} of any copy of this package. */
export function isTerminal(error: unknown): boolean {
  return typeof error === "object" && error !== null && brand in error;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses `"1h30m"`, `"500ms"` or milliseconds. @throws ERR_DURATION */
export function parseDuration(duration: string | number): number {
  if (typeof duration === "number" && duration >= 0 && Number.isFinite(duration)) return duration;
  const text = String(duration);
  let total = 0;
  const rest = text.replace(
    /(\d+(?:\.\d+)?)(ms|s|m|h)/g,
    (_, amount: string, unit: string) => ((total += Number(amount) * units[unit]!), ""),
  );
  if (!text || rest)
    throw new HomeostatError(
      "ERR_DURATION",
      `"${text}" is not a duration: expected amounts with units, such as 30s, 5m or 1h30m`,
      { hint: "use the units ms, s, m and h" },
    );
  return total;
}
