// Refuses phases and machines that could not run, where they are declared, and decisions that are
// none.
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";
import { refusePromise } from "../../util/refuse-promise.ts";
import { checkDuration, checkOptionalFunction } from "../check-values.ts";

const ofPhase = ["observe", "decide", "act", "undo", "deadline", "retries"];
const ofMachine = ["initial", "phases", "field", "paused", "key", "clock"];

/** @throws ERR_PHASE_DEFINITION with every problem of a phase */
export function checkPhase(definition: unknown): void {
  const given = isOptions(definition) ? definition : {};
  const { act, undo, deadline, retries } = given;
  refuse("a phase", definition, [
    ...unknownOptions(given, ofPhase),
    ...checkFunction("observe", given["observe"]),
    ...checkFunction("decide", given["decide"]),
    ...checkOptionalFunction("act", act),
    ...checkOptionalFunction("undo", undo),
    ...checkDuration("deadline", deadline),
    ...(retries === undefined || (Number.isInteger(retries) && Number(retries) >= 0)
      ? []
      : [`retries is ${describeValue(retries)}, expected a whole number from 0`]),
  ]);
}

/** @throws ERR_PHASE_DEFINITION with every problem of a machine */
export function checkMachine(options: unknown): void {
  const given = isOptions(options) ? options : {};
  const { initial, phases, field, paused, key } = given;
  refuse("a phase machine", options, [
    ...unknownOptions(given, ofMachine),
    ...(typeof initial === "string"
      ? []
      : [`initial is ${describeValue(initial)}, expected the name of a phase`]),
    ...checkPhases(phases),
    ...(field === undefined || (typeof field === "string" && field !== "")
      ? []
      : [`field is ${describeValue(field)}, expected the name of a field of status`]),
    ...checkOptionalFunction("paused", paused),
    ...checkOptionalFunction("key", key),
  ]);
}

/** @throws ERR_PHASE_DECISION, ERR_ASYNC_FUNCTION */
export function checkDecision<D>(decided: D, phase: string): D {
  const title = `decide of phase ${phase}`;
  const { does } = Object(refusePromise(decided, title, "a decision")) as { does?: unknown };
  if (does !== undefined) return decided;
  throw new HomeostatError(
    "ERR_PHASE_DECISION",
    `${title} returned ${describeValue(decided)}, expected one of go, act, wait and fail of its second argument`,
    { hint: 'return a decision on every path: (seen, to) => to.wait("…")' },
  );
}

function checkPhases(phases: unknown): readonly string[] {
  if (!isOptions(phases)) return [`phases is ${describeMissing(phases)}, expected phases by name`];
  return Object.entries(phases).flatMap(([name, one]) =>
    isOptions(one) && Object.hasOwn(one, "~phase")
      ? []
      : [`phases.${name} is ${describeValue(one)}, expected what phase(…) returns, or finalPhase`],
  );
}

const checkFunction = (name: string, value: unknown): readonly string[] =>
  typeof value === "function" ? [] : [`${name} is ${describeValue(value)}, expected a function`];

function refuse(what: string, given: unknown, problems: readonly string[]): void {
  const all = isOptions(given)
    ? problems
    : [`its options are ${describeMissing(given)}, expected an object`, ...problems];
  if (all.length === 0) return;
  throw new HomeostatError("ERR_PHASE_DEFINITION", `defining ${what}: ${all.join("; ")}`, {
    hint: "correct what the message names",
  });
}
