// Refuses definitions that no API server would call, where they are written.
import { isKind } from "../../api/check-kind.ts";
import { checkPermissions } from "../../api/permission.ts";
import { dnsSubdomainFaults } from "../../api/selectors/syntax-rules.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";

const known = [
  "name",
  "path",
  "resources",
  "sideEffects",
  "timeoutSeconds",
  "failurePolicy",
  "matchPolicy",
  "namespaceSelector",
  "objectSelector",
  "matchConditions",
  "permissions",
] as const;

const functions = {
  mutating: ["mutate"],
  validating: ["create", "update", "delete", "connect"],
} as const;

const more = { mutating: ["operations", "reinvocationPolicy"], validating: [] } as const;

/** As controller-runtime's builder. */
const pathPattern = /^((\/[a-zA-Z0-9-_]+)+|\/)$/;

type Options = Readonly<Record<string, unknown>>;

/** @throws ERR_WEBHOOK_DEFINITION with every problem */
export function checkWebhook(type: keyof typeof functions, kind: unknown, options: unknown): void {
  const given = isOptions(options) ? options : {};
  const problems = [
    ...(isKind(kind) ? [] : [`its kind is ${describeMissing(kind)}`]),
    ...(isOptions(options) ? [] : [`its options are ${describeMissing(options)}`]),
    ...unknownOptions(given, [...known, ...more[type], ...functions[type]]),
    ...functionFaults(type, given),
    ...choiceFaults(given),
    ...listFaults(given),
    ...nameFaults(given),
    ...checkPermissions(given["permissions"]),
  ];
  if (problems.length === 0) return;
  const name = isKind(kind) ? ` of ${kind.kind}` : "";
  throw new HomeostatError(
    "ERR_WEBHOOK_DEFINITION",
    `defining a ${type} webhook${name}: ${problems.join("; ")}`,
    { hint: "correct what the message names" },
  );
}

function functionFaults(type: keyof typeof functions, options: Options): string[] {
  const names: readonly string[] = functions[type];
  const given = names.filter((name) => options[name] !== undefined);
  if (given.length === 0) return [`it has no function; expected ${names.join(", ")}`];
  return given
    .filter((name) => typeof options[name] !== "function")
    .map((name) => `${name} is ${describeValue(options[name])}, expected a function`);
}

const choices: Readonly<Record<string, readonly unknown[]>> = {
  sideEffects: ["None", "NoneOnDryRun"],
  failurePolicy: ["Fail", "Ignore"],
  matchPolicy: ["Equivalent", "Exact"],
  reinvocationPolicy: ["Never", "IfNeeded"],
};

function choiceFaults(options: Options): string[] {
  return Object.entries(choices).flatMap(([name, allowed]) =>
    options[name] === undefined || allowed.includes(options[name])
      ? []
      : [`${name} is ${describeValue(options[name])}, expected ${allowed.join(" or ")}`],
  );
}

const operations: readonly unknown[] = ["CREATE", "UPDATE", "CONNECT"];
const resourcePattern = /^([a-z0-9-]+|\*)(\/([a-z0-9-]+|\*))?$/;

function listFaults({ operations: chosen, resources, matchConditions }: Options): string[] {
  return [
    ...listFault("operations", chosen, (one) => operations.includes(one), operations.join(", ")),
    ...listFault(
      "resources",
      resources,
      (one) => typeof one === "string" && resourcePattern.test(one),
      '"orders" or "orders/status"',
    ),
    ...listFault(
      "matchConditions",
      matchConditions,
      (one) => isOptions(one) && typeof one["expression"] === "string",
      "{ name, expression }",
    ),
  ];
}

function listFault(
  name: string,
  list: unknown,
  isItem: (one: unknown) => boolean,
  expected: string,
): string[] {
  if (list === undefined) return [];
  if (Array.isArray(list) && list.length > 0 && list.every(isItem)) return [];
  return [`${name} is ${describeValue(list)}, expected a list of ${expected}`];
}

function nameFaults({ name, path, timeoutSeconds: seconds }: Options): string[] {
  return [
    ...(name === undefined || isWebhookName(name)
      ? []
      : [`name is ${describeValue(name)}, expected a domain of three parts such as "a.b.example"`]),
    ...(path === undefined || (typeof path === "string" && pathPattern.test(path))
      ? []
      : [`path is ${describeValue(path)}, expected one such as "/validate-orders"`]),
    ...(seconds === undefined || (Number.isInteger(seconds) && isWithin(seconds as number))
      ? []
      : [`timeoutSeconds is ${describeValue(seconds)}, expected 1 to 30`]),
  ];
}

const isWithin = (seconds: number): boolean => seconds >= 1 && seconds <= 30;

/** As pkg/apis/admissionregistration/validation: fully qualified. */
const isWebhookName = (name: unknown): boolean =>
  typeof name === "string" && dnsSubdomainFaults(name).length === 0 && name.split(".").length >= 3;
