// Checks what a call is given, before its types can be trusted: it may come from JavaScript. What a
// value must be is stated in the text that the error prints.
import { argumentError } from "./argument-error.ts";
import { describeValue } from "./describe-error.ts";
import { HomeostatError } from "./homeostat-error.ts";
import { describeMissing, isOptions } from "./option-faults.ts";
import { isThenable } from "./refuse-promise.ts";

const tests = {
  "any value": () => true,
  "a string": (value) => typeof value === "string",
  "a number": (value) => typeof value === "number" && !Number.isNaN(value),
  "true or false": (value) => typeof value === "boolean",
  "a function": (value) => typeof value === "function",
  "an object": isOptions,
  "a list": Array.isArray,
  "a runtime": (value) => isOptions(value) && isOptions(value["clock"]),
  "an AbortSignal": (value) =>
    isOptions(value) && typeof value["addEventListener"] === "function" && "aborted" in value,
  'a duration such as "30s"': (value) => typeof value === "string" || typeof value === "number",
} as const satisfies Readonly<Record<string, (value: unknown) => boolean>>;

/** What a value must be. */
export type Expected = keyof typeof tests;

/** The options of a call, and what each must be where it is given. */
export type KnownOptions<O> = Readonly<Record<keyof O & string, Expected>>;

/**
 * Refuses options that are none, misspelt, or of another type.
 * @param call e.g. `client.list(…)`
 * @throws ERR_ARGUMENT with every problem
 */
export function checkOptions(
  call: string | (() => string),
  given: unknown,
  known: Readonly<Record<string, Expected>>,
): void {
  if (given === undefined || isFaultless(given, known)) return;
  const title = typeof call === "string" ? call : call();
  if (!isOptions(given) || isThenable(given))
    throw argumentError(title, given, `an object with ${Object.keys(known).join(", ")}`);
  const problems = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const expected = Object.hasOwn(known, name) ? known[name] : undefined;
    if (!expected) return [unknownOption(name, known)];
    return tests[expected](value)
      ? []
      : [`${name} is ${describeValue(value)}, expected ${expected}`];
  });
  throw new HomeostatError("ERR_ARGUMENT", `${title}: ${problems.join("; ")}`, {
    hint: "pass what the message names",
  });
}

const unknownOption = (name: string, known: object): string =>
  `${name}: unknown option; expected any of ${Object.keys(known).join(", ")}`;

/** Most calls pass few options, and right ones. */
function isFaultless(given: unknown, known: Readonly<Record<string, Expected>>): boolean {
  if (!isOptions(given) || isThenable(given)) return false;
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (value === undefined) continue;
    if (!Object.hasOwn(known, name) || !tests[known[name]!](value)) return false;
  }
  return true;
}

/**
 * Refuses an argument of another type.
 * @param what e.g. `its second argument`
 * @throws ERR_ARGUMENT
 */
export function checkArgument(
  call: string,
  [what, given]: readonly [what: string, given: unknown],
  expected: Expected,
): void {
  if (tests[expected](given)) return;
  throw new HomeostatError(
    "ERR_ARGUMENT",
    `${call}: ${what} is ${describeMissing(given)}, expected ${expected}`,
    { hint: "pass what the message names" },
  );
}
