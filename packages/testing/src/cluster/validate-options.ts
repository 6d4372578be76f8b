// Validates the options of testCluster() that are its own. Those that it passes to the server are
// validated there. Pure.
import { ServerError } from "@homeostat/apiserver";
import { HomeostatError } from "homeostat";
import type { TestClusterOptions } from "./test-cluster-options.ts";

interface Check {
  readonly expected: string;
  is(value: unknown): boolean;
}

/** Throws ERR_TEST_OPTION with every fault of `options`. */
export function assertOptions(options: unknown): asserts options is TestClusterOptions {
  const faults = isRecord(options)
    ? Object.entries(options).flatMap(([name, value]) => faultsOf(name, value))
    : [`options: expected an object, got ${typeOf(options)}`];
  if (faults.length > 0) throw optionError(faults.join("; "));
}

/** The server's error, under the option's name in {@link TestClusterOptions}. */
export function toClusterError(error: unknown): unknown {
  const fault = error instanceof ServerError ? error.faults[0] : undefined;
  if (fault?.option !== "controllers") return error;
  return optionError(`controlPlane: ${fault.problem}`, error);
}

const optionError = (faults: string, cause?: unknown): HomeostatError =>
  new HomeostatError("ERR_TEST_OPTION", `start a test cluster: ${faults}`, {
    hint: "correct what the message names",
    cause,
  });

function faultsOf(name: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Object.hasOwn(checks, name))
    return [`${name}: unknown option; expected any of ${Object.keys(checks).join(", ")}`];
  const { expected, is } = checks[name as keyof TestClusterOptions];
  return is(value) ? [] : [`${name}: expected ${expected}, got ${typeOf(value)}`];
}

function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (value instanceof Promise) return "a promise; await it";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A resource is a function with properties. */
const hasDefinition = (value: unknown): boolean =>
  (isRecord(value) || typeof value === "function") &&
  "definition" in value &&
  isRecord(value.definition);

const isController = (value: unknown): boolean =>
  isRecord(value) && "name" in value && typeof value.name === "string";

const listOf = (expected: string, is: (value: unknown) => boolean): Check => ({
  expected,
  is: (value) => Array.isArray(value) && value.every(is),
});

/** The server validates its options. */
const ofServer: Check = { expected: "", is: () => true };

const failOrReport: Check = {
  expected: '"fail" or "report"',
  is: (value) => value === "fail" || value === "report",
};

const checks: { readonly [K in keyof Required<TestClusterOptions>]: Check } = {
  resources: listOf("a list of resources, as defineResource() returns them", hasDefinition),
  controllers: listOf("a list of controllers, as defineController() returns them", isController),
  webhooks: {
    expected: "a function of the client",
    is: (value) => typeof value === "function",
  },
  operator: {
    expected: "a string that is not empty",
    is: (value) => typeof value === "string" && value !== "",
  },
  controlPlane: ofServer,
  fakeNodes: ofServer,
  stages: ofServer,
  audit: ofServer,
  breaches: failOrReport,
  failures: failOrReport,
  log: {
    expected: "a log with debug, info, warn and error",
    is: (value) =>
      isRecord(value) && ["debug", "info", "warn", "error"].every((level) => level in value),
  },
};
