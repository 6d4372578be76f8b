// Refuses options that a manager could not start with, before anything is read or written.
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ManagerOptions, MultiClusterOptions } from "./manager-options.ts";

/** Timers of Node fire at once beyond this. */
const longestMs = 2 ** 31 - 1;

/** @throws ERR_MANAGER_OPTIONS with every problem */
export function checkOptions(options: ManagerOptions | MultiClusterOptions): void {
  const problems = [
    ...checkControllers(options.controllers),
    ...checkClient(options.client),
    ...checkTimeout("syncTimeoutMs", options.syncTimeoutMs),
    ...checkTimeout("shutdownTimeoutMs", options.shutdownTimeoutMs),
  ];
  if (problems.length > 0)
    throw new HomeostatError(
      "ERR_MANAGER_OPTIONS",
      `creating the manager of ${options.operator}: ${problems.join("; ")}`,
      { hint: "correct the options of createManager" },
    );
}

function checkControllers(controllers: unknown): string[] {
  if (!Array.isArray(controllers))
    return [`controllers is ${describeValue(controllers)}, expected a list`];
  return controllers.flatMap((one, i) =>
    typeof one?.reconcile === "function" && one.kind
      ? []
      : [`controllers[${i}] is ${describeValue(one)}, expected what defineController returns`],
  );
}

function checkClient(client: unknown): string[] {
  const isClient = typeof (client as { readonly with?: unknown } | undefined)?.with === "function";
  return client === undefined || isClient
    ? []
    : [`client is ${describeValue(client)}, expected what createClient returns`];
}

function checkTimeout(name: string, ms: number | undefined): string[] {
  if (ms === undefined || (ms >= 0 && ms <= longestMs)) return [];
  return [`${name} is ${describeValue(ms)}, expected milliseconds from 0 to ${longestMs}`];
}
