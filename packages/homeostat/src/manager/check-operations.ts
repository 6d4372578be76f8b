// What is wrong with the options of a manager that are for its operation: probes and metrics.
import type { Metrics } from "../metrics/index.ts";
import { describeValue } from "../util/describe-error.ts";
import { isOptions, unknownOptions } from "../util/option-faults.ts";

type Unchecked = Readonly<Record<string, unknown>>;

/** Problems of `health`. */
export function checkHealth(health: unknown): string[] {
  if (health === undefined) return [];
  if (!isOptions(health)) return [`health is ${describeValue(health)}, expected options`];
  const problems = [
    ...unknownOptions(health, ["port", "host", "healthz", "readyz"]),
    ...checkPort(health["port"]),
    ...checkHost(health["host"]),
    ...checkChecks("healthz", health["healthz"], ["ping"]),
    ...checkChecks("readyz", health["readyz"], ["ping", "informer-sync", "shutdown"]),
  ];
  return problems.map((problem) => `health.${problem}`);
}

/** Problems of `metrics`. */
export function checkMetrics({
  metrics,
  clusters,
}: {
  readonly metrics?: unknown;
  readonly clusters?: unknown;
}): string[] {
  if (metrics === undefined) return [];
  if (!isOptions(metrics)) return [`metrics is ${describeValue(metrics)}, expected options`];
  const { custom, port, host, tls, authorization, introspection } = metrics as Unchecked;
  const problems = [
    ...unknownOptions(metrics, ["custom", "port", "host", "tls", "authorization", "introspection"]),
    ...(custom === undefined || typeof (custom as Partial<Metrics>)?.families === "function"
      ? []
      : [`custom is ${describeValue(custom)}, expected what createMetrics returns`]),
    ...(port === false ? [] : checkPort(port)),
    ...checkHost(host),
    ...checkTls(tls),
    ...checkAuthorization(authorization, clusters),
    ...(introspection === undefined || typeof introspection === "boolean"
      ? []
      : [`introspection is ${describeValue(introspection)}, expected true or false`]),
  ];
  return problems.map((problem) => `metrics.${problem}`);
}

function checkPort(port: unknown): string[] {
  const isPort = Number.isInteger(port) && (port as number) >= 0 && (port as number) < 65_536;
  return port === undefined || isPort
    ? []
    : [`port is ${describeValue(port)}, expected a number from 0 to 65535`];
}

const checkHost = (host: unknown): string[] =>
  host === undefined || (typeof host === "string" && host !== "")
    ? []
    : [`host is ${describeValue(host)}, expected an address such as "127.0.0.1"`];

function checkChecks(name: string, checks: unknown, taken: readonly string[]): string[] {
  if (checks === undefined) return [];
  if (!isOptions(checks)) return [`${name} is ${describeValue(checks)}, expected checks by name`];
  return Object.entries(checks).flatMap(([check, run]) => {
    if (taken.includes(check)) return [`${name}.${check}: the manager has a check of this name`];
    if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(check))
      return [`${name}: ${describeValue(check)} is no name that fits into a path`];
    return typeof run === "function"
      ? []
      : [`${name}.${check} is ${describeValue(run)}, expected a function`];
  });
}

function checkTls(tls: unknown): string[] {
  const { certFile, keyFile } = (isOptions(tls) ? tls : {}) as Unchecked;
  const areFiles = typeof certFile === "string" && typeof keyFile === "string";
  return tls === undefined || tls === "self-signed" || areFiles
    ? []
    : [`tls is ${describeValue(tls)}, expected "self-signed" or { certFile, keyFile }`];
}

function checkAuthorization(authorization: unknown, clusters: unknown): string[] {
  if (authorization === undefined) return [];
  const { client } = (isOptions(authorization) ? authorization : {}) as Unchecked;
  if (typeof (client as { readonly request?: unknown } | undefined)?.request === "function")
    return [];
  if (authorization !== "delegated") return ['authorization is neither "delegated" nor { client }'];
  return clusters === undefined
    ? []
    : ["authorization: expected { client }, the client of the cluster that decides who may read"];
}
