// Validation of single values, each with its path: numbers, names, ports, paths.
// Upstream: k8s.io/apimachinery/pkg/util/validation/{validation.go,ip.go},
// pkg/apis/core/validation/validation.go.
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  formatRegexFault,
  type Json,
  labelKeyFaults,
  type SyntaxRule,
} from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { portNameFaults } from "./name-faults.ts";

/** The errors of a syntax rule at a path. */
export const ruled = (rule: SyntaxRule, value: string, path: string): FieldError[] =>
  rule(value).map((fault) => fieldError.invalid(path, value, fault));
/** A lower-case label, e.g. a container's name. */
export const dnsLabelErrors = (value: string, path: string): FieldError[] =>
  ruled(dnsLabelFaults, value, path);
/** A lower-case subdomain: what most references to other objects must be. */
export const dnsSubdomainErrors = (value: string, path: string): FieldError[] =>
  ruled(dnsSubdomainFaults, value, path);
/** `name` or `example.com/name`. */
export const qualifiedNameErrors = (value: string, path: string): FieldError[] =>
  ruled(labelKeyFaults, value, path);
/** A value must have one of the given texts. */
export function enumErrors(value: string, values: readonly string[], path: string): FieldError[] {
  if (!value) return [fieldError.required(path, "")];
  return errorIf(!values.includes(value), () => fieldError.notSupported(path, value, values));
}

/** Zero or more. */
export const nonNegative = (value: number, path: string): FieldError[] =>
  errorIf(value < 0, () => fieldError.invalid(path, value, "must be greater than or equal to 0"));
/** One or more. */
export const positive = (value: number, path: string): FieldError[] =>
  errorIf(value <= 0, () => fieldError.invalid(path, value, "must be greater than zero"));
/** Within both bounds. */
export const inRange = (value: number, min: number, max: number, path: string): FieldError[] =>
  errorIf(value < min || value > max, () =>
    fieldError.invalid(path, value, `must be between ${min} and ${max}, inclusive`),
  );
/** A user or group. */
export const unixIdErrors = (id: number, path: string): FieldError[] =>
  inRange(id, 0, 2147483647, path);
/** 1 to 65535. */
export const portNumberErrors = (port: number, path: string): FieldError[] =>
  inRange(port, 1, 65535, path);
/** Seconds that a token lives. */
export const tokenLifetimeErrors = (seconds: number | bigint, path: string): FieldError[] => [
  ...errorIf(seconds < 600, () =>
    fieldError.invalid(path, seconds, "may not specify a duration less than 10 minutes"),
  ),
  ...errorIf(seconds > 2 ** 32, () =>
    fieldError.invalid(path, seconds, "may not specify a duration larger than 2^32 seconds"),
  ),
];
/** Not empty. */
export const requiredName = (value: string, path: string): FieldError[] =>
  errorIf(!value, () => fieldError.required(path, ""));
/** Neither absent nor empty, and valid by `rule`. */
export const requiredValid = <T>(
  rule: (value: T, path: string) => FieldError[],
  value: NoInfer<T> | null | undefined,
  path: string,
): FieldError[] => (value ? rule(value, path) : [fieldError.required(path, "")]);
/** Absent, empty, or valid by `rule`. */
export const optionalValid = <T>(
  rule: (value: T, path: string) => FieldError[],
  value: NoInfer<T> | null | undefined,
  path: string,
): FieldError[] => (value ? rule(value, path) : []);

/** A rule that a text breaks from the second time on: `Duplicate value: "x"`. */
export function createUniqueRule(): (value: string, path: string) => FieldError[] {
  const seen = new Set<string>();
  return (value, path) => {
    const again = seen.has(value);
    seen.add(value);
    return errorIf(again, () => fieldError.duplicate(path, value));
  };
}

/** The name of a port. */
export const portNameErrors = (name: string, path: string): FieldError[] =>
  ruled(portNameFaults, name, path);

/** A port by number or name, as probes refer to one. */
export function portReferenceErrors(port: Json | undefined, path: string): FieldError[] {
  return typeof port === "string"
    ? portNameErrors(port, path)
    : portNumberErrors(Number(port ?? 0), path);
}

/** The rule of a pattern, with the fault of a text that does not match. */
const matching =
  (pattern: RegExp, fault: string): SyntaxRule =>
  (text) =>
    pattern.test(text) ? [] : [fault];

const isPrintable = matching(
  /^[\x20-\x3c\x3e-\x7e]*$/,
  "a valid environment variable name must consist only of printable ASCII characters other than '='",
);

/** Names of environment variables: printable ASCII without `=`. */
export const environmentNameFaults: SyntaxRule = (name) =>
  name ? isPrintable(name) : ["environment variable name must be non-empty"];

/** `25%`. */
export const percentFaults: SyntaxRule = matching(
  /^[0-9]+%$/,
  formatRegexFault(
    "a valid percent string must be a numeric string followed by an ending '%'",
    "[0-9]+%",
    "1%",
    "93%",
  ),
);

/** Names of HTTP headers in probes. */
export const headerNameFaults: SyntaxRule = matching(
  /^[-A-Za-z0-9]+$/,
  formatRegexFault(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    "[-A-Za-z0-9]+",
    "X-Header-Name",
  ),
);

const underscoredLabel = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
const underscoredFormat = `${underscoredLabel}(\\.${underscoredLabel})*`;
const isUnderscored = matching(
  new RegExp(`^(?:${underscoredFormat})$`),
  formatRegexFault(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character",
    underscoredFormat,
    "example.com",
  ),
);

/** Subdomains in which underscores are allowed, too: DNS search paths. */
export const underscoredSubdomainFaults: SyntaxRule = (name) => [
  ...(Buffer.byteLength(name) > 253 ? ["must be no more than 253 characters"] : []),
  ...isUnderscored(name),
];

/** File modes up to 0777. */
export function fileModeErrors(mode: number | undefined, path: string): FieldError[] {
  return errorIf(mode !== undefined && (mode > 0o777 || mode < 0), () =>
    fieldError.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"),
  );
}

/** No `..` among the segments. */
export function backstepErrors(target: string, path: string): FieldError[] {
  return errorIf(target.split("/").includes(".."), () =>
    fieldError.invalid(path, target, "must not contain '..'"),
  );
}

/** A relative path without `..`. Upstream: validateLocalDescendingPath. */
export function descendingPathErrors(target: string, path: string): FieldError[] {
  return [
    ...errorIf(target.startsWith("/"), () =>
      fieldError.invalid(path, target, "must be a relative path"),
    ),
    ...backstepErrors(target, path),
  ];
}

/**
 * As {@link descendingPathErrors}; the kubelet reserves names with two leading dots. Upstream:
 * validateLocalNonReservedPath.
 */
export function freePathErrors(target: string, path: string): FieldError[] {
  return [
    ...descendingPathErrors(target, path),
    ...errorIf(target.startsWith("..") && !target.startsWith("../"), () =>
      fieldError.invalid(path, target, "must not start with '..'"),
    ),
  ];
}
