// Refuses options that no client could work with. Never shows an access: it holds credentials.
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../util/option-faults.ts";
import { impersonationFaults } from "./impersonation.ts";
import { isThenable } from "../util/refuse-promise.ts";

const known = [
  "transport",
  "access",
  "runtime",
  "fieldManager",
  "userAgent",
  "namespace",
  "impersonate",
  "observer",
  "pace",
];

/** @throws ERR_CLIENT_OPTIONS with every problem */
export function checkClientOptions(options: unknown): void {
  const problems = isOptions(options)
    ? problemsOf(options)
    : [`${missing}: its options are ${describeMissing(options)}`];
  if (problems.length === 0) return;
  throw new HomeostatError("ERR_CLIENT_OPTIONS", `creating a client: ${problems.join("; ")}`, {
    hint: "pass { access: await loadKubeconfig() }, or { transport: server.transport() }",
  });
}

const missing = "expected `access` or `transport`";

function problemsOf(options: Readonly<Record<string, unknown>>): string[] {
  const { transport, access, impersonate } = options;
  return [
    ...(isThenable(options) ? ["its options are a promise, which is not awaited"] : []),
    ...(transport === undefined && access === undefined ? [missing] : []),
    ...unknownOptions(options, known),
    ...["fieldManager", "userAgent", "namespace"].flatMap((name) => checkText(options, name)),
    ...(impersonate === undefined
      ? []
      : impersonationFaults(impersonate).map((each) => `impersonate: expected ${each}`)),
    ...["runtime", "observer", "pace"].flatMap((name) => checkObject(options, name)),
    ...(access === undefined || isAccess(access)
      ? []
      : [`access is ${describeKind(access)}, expected what loadKubeconfig resolves to`]),
    ...(transport === undefined || hasMethod(transport, "send")
      ? []
      : [`transport is ${describeKind(transport)}, expected an object with a method send`]),
  ];
}

function checkText(options: Readonly<Record<string, unknown>>, name: string): string[] {
  const value = options[name];
  if (value === undefined || typeof value === "string") return [];
  return [`${name} is ${describeKind(value)}, expected a string`];
}

function checkObject(options: Readonly<Record<string, unknown>>, name: string): string[] {
  const value = options[name];
  if (value === undefined || (isOptions(value) && !isThenable(value))) return [];
  return [`${name} is ${describeKind(value)}, expected an object`];
}

const isAccess = (access: unknown): boolean =>
  isOptions(access) && typeof access["server"] === "string" && isOptions(access["auth"]);

const hasMethod = (value: unknown, name: string): boolean =>
  typeof (value as Readonly<Record<string, unknown>> | null)?.[name] === "function";

/** Without its content. */
function describeKind(value: unknown): string {
  if (isThenable(value)) return "a promise, which is not awaited";
  if (!isOptions(value)) return value === null ? "null" : `a ${typeof value}`;
  const names = Object.keys(value).join(", ");
  return names === "" ? "an empty object" : `an object with ${names}`;
}
