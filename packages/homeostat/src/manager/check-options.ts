// Refuses options that a manager could not start with, before anything is read or written.
import { parseFieldSelector } from "../api/selectors/field-selector.ts";
import { parseLabelSelector } from "../api/selectors/label-selector.ts";
import type { CachedKindOptions } from "../cache/create-cache.ts";
import { isKind } from "../api/check-kind.ts";
import { checkOptionalFunction, checkReports } from "../controller/check-values.ts";
import { describeError, describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../util/option-faults.ts";
import { isThenable } from "../util/refuse-promise.ts";
import { webhooksFaults } from "../webhook/check-webhooks.ts";
import { checkWatchdog } from "./watchdog/watchdog-options.ts";
import { checkTracing } from "./tracing/tracing-options.ts";
import { checkHealth, checkMetrics } from "./check-operations.ts";
import { checkElection } from "./election/election-options.ts";
import { checkNamespaces } from "./scope/watched-scope.ts";
import { checkSharding } from "./sharding/sharding-options.ts";
import type { ManagerOptions, MultiClusterOptions } from "./manager-options.ts";

/** Timers of Node fire at once beyond this. */
const longestMs = 2 ** 31 - 1;

const known = [
  "operator",
  "controllers",
  "client",
  "clusters",
  "namespace",
  "namespaces",
  "cache",
  "webhooks",
  "runtime",
  "log",
  "reports",
  "shutdownTimeoutMs",
  "syncTimeoutMs",
  "election",
  "sharding",
  "allowReplicas",
  "health",
  "metrics",
  "tracing",
  "watchdog",
  "changed",
] as const satisfies readonly (keyof ManagerOptions)[];

/** @throws ERR_MANAGER_OPTIONS with every problem */
export function checkOptions(given: ManagerOptions | MultiClusterOptions): void {
  const options = isOptions(given) ? given : ({} as unknown as ManagerOptions);
  const { operator } = options;
  const isNamed = typeof operator === "string" && operator !== "";
  const problems = [
    ...(isOptions(given)
      ? []
      : [`its options are ${describeMissing(given)}, expected { operator, controllers, client }`]),
    ...(isNamed
      ? []
      : [`operator is ${describeValue(operator)}, expected a name such as "orders"`]),
    ...checkControllers(options.controllers),
    ...unknownOptions(options, known),
    ...checkClient(options.client),
    ...choiceFaults(options),
  ];
  if (problems.length > 0)
    throw new HomeostatError(
      "ERR_MANAGER_OPTIONS",
      `creating ${isNamed ? `the manager of ${operator}` : "a manager"}: ${problems.join("; ")}`,
      { hint: "correct the options of createManager" },
    );
}

/**
 * What createManager would refuse in these options, each with its name; nothing is said of
 * `operator`, `controllers` and `client`, which may be missing. Pure.
 */
export function managerOptionFaults(options: object): readonly string[] {
  return [
    ...unknownOptions(options, known),
    ...namespaceFaults(options),
    ...choiceFaults(options as ManagerOptions),
  ];
}

function namespaceFaults(options: Pick<ManagerOptions, "namespace" | "namespaces">): string[] {
  try {
    checkNamespaces(options);
    return [];
  } catch (error) {
    return [`namespaces: ${describeError(error)}`];
  }
}

function choiceFaults(options: ManagerOptions | MultiClusterOptions): readonly string[] {
  return [
    ...checkCache(options.cache),
    ...checkWebhooks(options),
    ...checkReports(options.reports),
    ...checkLog(options.log),
    ...checkSwitches(options),
    ...checkTracing(options.tracing),
    ...checkWatchdog(options.watchdog),
    ...checkHealth(options.health),
    ...checkMetrics(options),
    ...checkElection(options.election, options),
    ...checkSharding(options.sharding, options),
    ...checkTimeout("syncTimeoutMs", options.syncTimeoutMs),
    ...checkTimeout("shutdownTimeoutMs", options.shutdownTimeoutMs),
  ];
}

function checkControllers(controllers: unknown): string[] {
  if (!Array.isArray(controllers))
    return [`controllers is ${describeValue(controllers)}, expected a list`];
  if (controllers.length === 0)
    return ["controllers is an empty list, expected at least one that defineController returns"];
  return controllers.flatMap((one, i) =>
    typeof one?.reconcile === "function" && one.kind
      ? []
      : [`controllers[${i}] is ${describeController(one)}, expected what defineController returns`],
  );
}

/** A resource, the likely mistake, is as long as its schema. */
function describeController(one: unknown): string {
  if (isKind(one)) return `the kind ${one.kind}`;
  return isThenable(one) ? "a promise" : describeValue(one);
}

function checkClient(client: unknown): string[] {
  const isClient = typeof (client as { readonly with?: unknown } | undefined)?.with === "function";
  return client === undefined || isClient
    ? []
    : [`client is ${describeClient(client)}, expected what createClient returns`];
}

/** Never its content: a ClusterAccess, the likely mistake, holds credentials. */
function describeClient(client: unknown): string {
  if (typeof client !== "object" || client === null) return describeValue(client);
  if (client instanceof Promise) return "a promise";
  const names = Object.keys(client).join(", ");
  return names === "" ? "an empty object" : `an object with ${names}`;
}

function checkCache(cache: unknown): string[] {
  if (cache === undefined) return [];
  const { kinds } = (cache ?? {}) as { readonly kinds?: unknown };
  if (!Array.isArray(kinds)) return [`cache.kinds is ${describeValue(kinds)}, expected a list`];
  return kinds.flatMap((one: unknown, i) => {
    const [kind, options] = Array.isArray(one) ? (one as readonly unknown[]) : [];
    if (!isKind(kind) || typeof options !== "object" || options === null)
      return [
        `cache.kinds[${i}] is ${describeValue(one)}, expected a pair of a kind and its options`,
      ];
    return checkCachedKind(options).map(
      (problem) => `cache.kinds[${i}] (${kind.kind}): ${problem}`,
    );
  });
}

function checkCachedKind(options: object): string[] {
  const { labelSelector, fieldSelector, project, ...others } = options as CachedKindOptions;
  return [
    ...Object.keys(others).map(
      (name) => `${name}: expected any of labelSelector, fieldSelector, project`,
    ),
    ...checkSelector("labelSelector", labelSelector, parseLabelSelector),
    ...checkSelector("fieldSelector", fieldSelector, parseFieldSelector),
    ...checkOptionalFunction("project", project),
  ];
}

function checkWebhooks({ webhooks, clusters }: ManagerOptions | MultiClusterOptions): string[] {
  if (webhooks === undefined || clusters === undefined) return webhooksFaults(webhooks);
  return ["webhooks: expected with `client`; of several clusters, each needs a manager of its own"];
}

function checkSelector(name: string, selector: unknown, parse: (text: string) => unknown) {
  if (selector === undefined) return [];
  if (typeof selector !== "string")
    return [`${name} is ${describeValue(selector)}, expected a string such as "app=web"`];
  try {
    parse(selector);
    return [];
  } catch (error) {
    return [`${name}: ${describeError(error)}`];
  }
}

function checkLog(log: unknown): string[] {
  if (log === undefined) return [];
  const missing = ["debug", "info", "warn", "error"].filter(
    (level) => typeof (log as Readonly<Record<string, unknown>> | null)?.[level] !== "function",
  );
  return missing.length > 0 ? [`log has no ${missing.join(", ")}`] : [];
}

function checkSwitches({ changed, allowReplicas }: ManagerOptions | MultiClusterOptions): string[] {
  return [
    ...(changed === undefined || typeof changed === "function"
      ? []
      : ["changed is not a function"]),
    ...(allowReplicas === undefined || typeof allowReplicas === "boolean"
      ? []
      : [`allowReplicas is ${describeValue(allowReplicas)}, expected true or false`]),
  ];
}

function checkTimeout(name: string, ms: number | undefined): string[] {
  if (ms === undefined || (typeof ms === "number" && ms >= 0 && ms <= longestMs)) return [];
  return [`${name} is ${describeValue(ms)}, expected milliseconds from 0 to ${longestMs}`];
}
