// What is wrong with the options of a call, where they are given: they may come from JavaScript, or
// from a call that has forgotten them.
import { describeValue } from "./describe-error.ts";
import { isThenable } from "./refuse-promise.ts";

/** True for what can hold options. */
export const isOptions = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given);

/** Problems of options whose names are misspelt or not those of this call. */
export function unknownOptions(options: object, known: readonly string[]): string[] {
  return Object.keys(options)
    .filter((name) => !known.includes(name))
    .map((name) => `${name}: unknown option; expected any of ${known.join(", ")}`);
}

/** What was given in place of options. */
export function describeMissing(given: unknown): string {
  if (given === undefined) return "nothing";
  return isThenable(given) ? "a promise, which is not awaited" : describeValue(given);
}
