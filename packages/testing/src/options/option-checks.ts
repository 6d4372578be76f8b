// What is wrong with options: Node runs TypeScript without checking its types, so that a typo would
// otherwise be an option that has no effect. Pure.

/** One option: what it has to be. */
export interface Check {
  readonly expected: string;
  is(value: unknown): boolean;
}

/** All options of a call. */
export type Checks<T> = { readonly [K in keyof Required<T>]: Check };

/** Every fault of `options`; those that are `undefined` are not given. */
export function faultsOf<T>(
  options: unknown,
  checks: Checks<T>,
  required: readonly (keyof T & string)[] = [],
): readonly string[] {
  if (!isRecord(options)) return [`options: expected an object, got ${typeOf(options)}`];
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const names = Object.keys(checks).join(", ");
  const missing = required.filter((name) => !given.some(([other]) => other === name));
  return [
    ...given.flatMap(([name, value]) => {
      if (!Object.hasOwn(checks, name))
        return [`${name}: unknown option; expected any of ${names}`];
      const { expected, is } = checks[name as keyof T];
      return is(value) ? [] : [`${name}: expected ${expected}, got ${typeOf(value)}`];
    }),
    ...missing.map((name) => `${name}: expected ${checks[name].expected}, got nothing`),
  ];
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise; await it";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

export const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (expected: string, is: (value: unknown) => boolean): Check => ({
  expected,
  is: (value) => Array.isArray(value) && value.every(is),
});

/** A resource is a function with properties. */
const hasDefinition = (value: unknown): boolean =>
  (isRecord(value) || typeof value === "function") &&
  "definition" in value &&
  isRecord(value.definition);

const isController = (value: unknown): boolean =>
  isRecord(value) && "name" in value && typeof value.name === "string";

export const resourceList = listOf(
  "a list of resources, as defineResource() returns them",
  hasDefinition,
);

export const controllerList = listOf(
  "a list of controllers, as defineController() returns them",
  isController,
);

export const text: Check = {
  expected: "a string that is not empty",
  is: (value) => typeof value === "string" && value !== "",
};

export const aFunction = (what: string): Check => ({
  expected: `a function ${what}`,
  is: (value) => typeof value === "function",
});

export const wholeNumber: Check = {
  expected: "a whole number from 0",
  is: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
};

/** The server validates its options. */
export const ofServer: Check = { expected: "", is: () => true };
