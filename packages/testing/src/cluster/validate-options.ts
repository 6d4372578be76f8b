// Validates the options of testCluster() that are its own. Those that it passes to the server are
// validated there. Pure.
import { ServerError } from "@homeostat/apiserver";
import { HomeostatError } from "homeostat";
import {
  type Check,
  type Checks,
  controllerList,
  faultsOf,
  isRecord,
  ofServer,
  resourceList,
  text,
} from "../options/option-checks.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";

/** Throws ERR_TEST_OPTION with every fault of `options`. */
export function assertOptions(options: unknown): asserts options is TestClusterOptions {
  const faults = faultsOf(options, checks);
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

const failOrReport: Check = {
  expected: '"fail" or "report"',
  is: (value) => value === "fail" || value === "report",
};

const checks: Checks<TestClusterOptions> = {
  resources: resourceList,
  controllers: controllerList,
  webhooks: {
    expected: "a function of the client",
    is: (value) => typeof value === "function",
  },
  operator: text,
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
