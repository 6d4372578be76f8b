// Validates names, types and ranges of a server's options, so that bad input fails before anything
// starts. Pure. Names of controllers and plug-ins, stages and service ranges have parsers of their
// own (parse-options.ts).
import { isIPv4 } from "node:net";
import type { ApiServerOptions } from "./api-server-options.ts";
import { auditLevels, type AuditLevel } from "./apimachinery/audit.ts";
import type { AuditOptions } from "./audit/open-audit.ts";
import { modeFaults } from "./authorization/modes.ts";
import type { OptionFault } from "./apimachinery/errors/server-error.ts";

type Check = (value: unknown, option: string) => readonly OptionFault[];

const longestShown = 60;
const maxPort = 65_535;
/** More are of no use to a test, and every node sends heartbeats. */
const maxFakeNodes = 9_999;

/** The faults of `options`, every one of them; none when they are valid. */
export function validateOptions(options: unknown): readonly OptionFault[] {
  if (!isRecord(options))
    return [{ option: "options", problem: `expected an object, got ${typeOf(options)}` }];
  return [...fields(checks)(options, ""), ...combinationFaults(options)];
}

function combinationFaults({ fsync, dataDir }: ApiServerOptions): readonly OptionFault[] {
  if (fsync !== true || dataDir !== undefined) return [];
  const problem = "requires dataDir: without it, objects are in memory only; set dataDir too";
  return [{ option: "fsync", problem }];
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What came, without contents: those may be a key or a token. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** What came: the value, if it is short. */
function shown(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.length <= longestShown
    ? JSON.stringify(value)
    : typeOf(value);
}

const expected =
  (what: string, is: (value: unknown) => boolean, show = shown): Check =>
  (value, option) =>
    is(value) ? [] : [{ option, problem: `expected ${what}, got ${show(value)}` }];

const flag = expected("true or false", (value) => typeof value === "boolean");
const text = expected(
  "a string that is not empty",
  (value) => typeof value === "string" && !!value,
);
const secret = expected("PEM text", (value) => typeof value === "string" && !!value, typeOf);
const callback = expected("a function", (value) => typeof value === "function");
const listOf = (what: string, is: (value: unknown) => boolean): Check =>
  expected(what, (value) => Array.isArray(value) && value.every(is), typeOf);
const names = listOf("a list of names", (value) => typeof value === "string" && !!value.trim());

const oneOf = (...values: readonly string[]): Check =>
  expected(values.join(" or "), (value) => values.includes(value as string));

const wholeNumber = (least: number, most: number): Check =>
  expected(
    most === Infinity ? `a whole number from ${least}` : `a whole number from ${least} to ${most}`,
    (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
  );

const milliseconds = expected(
  "a number of milliseconds from 0",
  (value) => typeof value === "number" && Number.isFinite(value) && value >= 0,
);

/** An object of these fields. Undefined counts as absent. */
function fields(known: Readonly<Record<string, Check>>, required: readonly string[] = []): Check {
  return (value, option) => {
    if (!isRecord(value)) return [{ option, problem: `expected an object, got ${typeOf(value)}` }];
    const path = (name: string): string => (option === "" ? name : `${option}.${name}`);
    const given = Object.entries(value).filter(([, each]) => each !== undefined);
    return [
      ...given.flatMap(([name, each]): readonly OptionFault[] =>
        Object.hasOwn(known, name) ? known[name]!(each, path(name)) : [unknown(path(name), known)],
      ),
      ...required
        .filter((name) => !given.some(([each]) => each === name))
        .flatMap((name) => known[name]!(undefined, path(name))),
    ];
  };
}

const unknown = (option: string, known: Readonly<Record<string, Check>>): OptionFault => ({
  option,
  problem: `unknown option; expected any of ${Object.keys(known).join(", ")}`,
});

const userOf = (value: unknown): boolean =>
  isRecord(value) && "name" in value && typeof value.name === "string";

const isLocation = (value: unknown): boolean =>
  typeof value === "function" ||
  (isRecord(value) &&
    "host" in value &&
    typeof value.host === "string" &&
    "port" in value &&
    Number.isInteger(value.port));

const switches = expected(
  "an object of names with true or false",
  (value) => isRecord(value) && Object.values(value).every((each) => typeof each === "boolean"),
  typeOf,
);

const isRuntime = (value: unknown): boolean =>
  isRecord(value) && ["clock", "entropy", "defer"].every((part) => part in value);

const auditChecks: { readonly [K in keyof Required<AuditOptions>]: Check } = {
  policyFile: text,
  policy: expected(
    `a policy, or a level: ${auditLevels.join(", ")}`,
    (value) => isRecord(value) || auditLevels.includes(value as AuditLevel),
  ),
  logPath: text,
  logFormat: oneOf("json", "legacy"),
  logMaxAgeDays: wholeNumber(0, Infinity),
  logMaxBackups: wholeNumber(0, Infinity),
  logMaxSizeMegabytes: wholeNumber(0, Infinity),
  logCompress: flag,
  logMaxEventBytes: wholeNumber(1, Infinity),
};

function auditFaults(value: unknown, option: string): readonly OptionFault[] {
  const { policy, policyFile } = (isRecord(value) ? value : {}) as AuditOptions;
  if (policy === undefined || policyFile === undefined) return [];
  return [{ option: `${option}.policy`, problem: "there is a policyFile as well; give one" }];
}

const checks: { readonly [K in keyof Required<ApiServerOptions>]: Check } = {
  listen: flag,
  port: wholeNumber(0, maxPort),
  host: text,
  protocol: oneOf("https", "http"),
  clientCertificates: flag,
  clientCa: secret,
  servingCertificate: fields({ cert: secret, key: secret }, ["cert", "key"]),
  tokens: expected(
    "a Map of tokens to users with a name",
    (value) => value instanceof Map && [...value.values()].every(userOf),
    typeOf,
  ),
  dataDir: text,
  fsync: flag,
  kubeconfigPath: text,
  authorizationModes: (value, option) => {
    const faults = names(value, option);
    if (faults.length) return faults;
    return modeFaults(value as readonly string[]).map((problem) => ({ option, problem }));
  },
  admissionControlConfigFile: text,
  admissionPlugins: fields({ enable: names, disable: names }),
  openApiDescriptions: flag,
  featureGates: switches,
  runtimeConfig: switches,
  advertiseAddress: expected("an IPv4 address", (value) => isIPv4(String(value)), String),
  serviceClusterIpRange: text,
  serviceNodePortRange: text,
  serviceLocations: expected(
    "a Map of Services to addresses or handlers",
    (value) => value instanceof Map && [...value.values()].every(isLocation),
    typeOf,
  ),
  controllers: (value, option) =>
    typeof value === "string" && value.trim() ? [] : names(value, option),
  fakeNodes: wholeNumber(0, maxFakeNodes),
  stages: listOf("a list of stages", () => true),
  audit: (value, option) => [...fields(auditChecks)(value, option), ...auditFaults(value, option)],
  faults: oneOf("in-process", "http"),
  readyWhen: oneOf("controlling", "serving"),
  warn: callback,
  serviceAccountTokens: fields({ issuer: text, privateKey: secret }),
  runtime: expected("a runtime with clock, entropy and defer", isRuntime),
  wrapTransport: callback,
  keepChanges: wholeNumber(1, Infinity),
  compactionIntervalMs: milliseconds,
  eventTtlMs: milliseconds,
};
