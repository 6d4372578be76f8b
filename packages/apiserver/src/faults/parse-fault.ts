// Reads a fault, and says what is wrong with it. Pure.
import type { Fault, FaultMatch } from "./fault.ts";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value !== "";
const isTexts: Check = (value) => Array.isArray(value) && value.length > 0 && value.every(isText);
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);
const isErrorCode: Check = (value) =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;

interface Field {
  readonly is: Check;
  readonly expected: string;
  readonly required?: true;
}

const verbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
] as const;
const isVerbs: Check = (value) =>
  isTexts(value) && (value as readonly string[]).every((verb) => oneOf(...verbs)(verb));

const text: Field = { is: isText, expected: "a string that is not empty" };
const texts: Field = { is: isTexts, expected: "a list of strings" };
const count: Field = { is: isCount, expected: "a number from 0" };

const matchFields: Readonly<Record<keyof FaultMatch, Field>> = {
  user: text,
  userAgent: text,
  connection: text,
  verbs: { is: isVerbs, expected: `a list of verbs (${verbs.join(", ")})` },
  resources: texts,
  namespace: text,
  name: text,
};

const effects: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  error: {
    code: { is: isErrorCode, expected: "a status code from 400 to 599", required: true },
    message: text,
    retryAfterSeconds: count,
  },
  withhold: { then: { is: oneOf("cut", "hang"), expected: '"cut" or "hang"' } },
  delay: {
    ms: { ...count, required: true },
    of: { is: oneOf("request", "answer"), expected: '"request" or "answer"' },
  },
  stale: {
    resourceVersion: {
      is: (value) => typeof value === "string" && /^[1-9]\d{0,15}$/.test(value),
      expected: "a resource version",
    },
  },
  freeze: {},
  skip: {},
  close: {},
};

/** The only verb of the requests that an effect hits. */
const verbsOfEffects: ReadonlyMap<string, string> = new Map([
  ["stale", "list"],
  ["freeze", "watch"],
  ["skip", "watch"],
  ["close", "watch"],
]);

/** @throws TypeError that names every fault of `given` */
export function parseFault(given: unknown): Fault {
  const problems = faultProblems(given);
  if (problems.length > 0) throw new TypeError(`the fault is not valid: ${problems.join("; ")}`);
  return structuredClone(given as Fault);
}

/** @throws TypeError that names every fault of `given` */
export function parseMatch(given: unknown): FaultMatch {
  const problems = fieldProblems(given, matchFields, "");
  if (problems.length > 0) throw new TypeError(`the match is not valid: ${problems.join("; ")}`);
  return structuredClone(given as FaultMatch);
}

function faultProblems(given: unknown): readonly string[] {
  if (!isRecord(given)) return [`expected an object, got ${shown(given)}`];
  const { on, effect, ...rest } = given;
  const type = isRecord(effect) ? effect["type"] : undefined;
  const known = typeof type === "string" && Object.hasOwn(effects, type) ? type : undefined;
  const { type: _, ...parameters } = isRecord(effect) ? effect : {};
  return [
    ...fieldProblems(rest, { after: count, times: count }, ""),
    ...(on === undefined ? [] : fieldProblems(on, matchFields, "on.")),
    ...(known === undefined
      ? [`effect.type: expected one of ${Object.keys(effects).join(", ")}; got ${shown(type)}`]
      : fieldProblems(parameters, effects[known]!, "effect.")),
    ...verbProblems(known, on),
  ];
}

/** A fault that could hit no request. */
function verbProblems(type: string | undefined, on: unknown): readonly string[] {
  const verb = type === undefined ? undefined : verbsOfEffects.get(type);
  const given = isRecord(on) ? on["verbs"] : undefined;
  if (verb === undefined || !isVerbs(given) || (given as readonly string[]).includes(verb))
    return [];
  return [`on.verbs: ${type} hits ${verb} requests only, got ${shown(given)}`];
}

function fieldProblems(
  given: unknown,
  fields: Readonly<Record<string, Field>>,
  prefix: string,
): readonly string[] {
  if (!isRecord(given)) return [`${prefix.slice(0, -1) || "it"}: expected an object`];
  const names = [...new Set([...Object.keys(given), ...Object.keys(fields)])];
  return names.flatMap((name) => {
    const value = given[name];
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) return [`${prefix}${name}: is not known${expectedOf(fields)}`];
    if (value === undefined && !field.required) return [];
    return field.is(value)
      ? []
      : [`${prefix}${name}: expected ${field.expected}, got ${shown(value)}`];
  });
}

function expectedOf(fields: object): string {
  const names = Object.keys(fields);
  return names.length === 0 ? "" : `; expected any of ${names.join(", ")}`;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 60);
