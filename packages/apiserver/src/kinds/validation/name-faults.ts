// Rules for names inside objects: ports, hosts, controllers. Each returns upstream's messages.
// Upstream: k8s.io/apimachinery/pkg/util/validation/validation.go.
import {
  dnsSubdomainFaults,
  formatLengthFault,
  formatRegexFault,
  labelKeyFaults,
  type SyntaxRule,
} from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";

/** Port numbers from 1 to 65535. */
export function portNumberFaults(port: number): readonly string[] {
  return port >= 1 && port <= 65535 ? [] : ["must be between 1 and 65535, inclusive"];
}

/** IANA service names, e.g. `http`. */
export const portNameFaults: SyntaxRule = (name) => [
  ...(Buffer.byteLength(name) > 15 ? [formatLengthFault(15, "characters")] : []),
  ...(/^[-a-z0-9]+$/.test(name)
    ? []
    : ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"]),
  ...(/[a-z]/.test(name) ? [] : ["must contain at least one letter (a-z)"]),
  ...(name.includes("--") ? ["must not contain consecutive hyphens"] : []),
  ...(name.startsWith("-") || name.endsWith("-") ? ["must not begin or end with a hyphen"] : []),
];

const wildcardFormat = "\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const wildcard = new RegExp(`^${wildcardFormat}$`);

/** `*.example.com`. */
export const wildcardHostFaults: SyntaxRule = (host) => [
  ...(Buffer.byteLength(host) > 253 ? [formatLengthFault(253, "characters")] : []),
  ...(wildcard.test(host)
    ? []
    : [
        formatRegexFault(
          "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
          wildcardFormat,
          "*.example.com",
        ),
      ]),
];

const httpPathFormat = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const httpPath = new RegExp(`^${httpPathFormat}$`);

/** `acme.io/foo`: a domain and a path. */
export function domainPathErrors(value: string, path: string): FieldError[] {
  if (!value) return [fieldError.required(path, "")];
  const slash = value.indexOf("/");
  const host = value.slice(0, Math.max(0, slash));
  const rest = value.slice(slash + 1);
  if (!host || !rest)
    return [
      fieldError.invalid(path, value, 'must be a domain-prefixed path (such as "acme.io/foo")'),
    ];
  const errors = dnsSubdomainFaults(host).map((fault) => fieldError.invalid(path, host, fault));
  return httpPath.test(rest)
    ? errors
    : [...errors, fieldError.invalid(path, rest, formatRegexFault("Invalid path", httpPathFormat))];
}

/** A DNS subdomain of three segments or more. */
export function qualifiedNameErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  const faults = dnsSubdomainFaults(name);
  if (faults.length) return [fieldError.invalid(path, name, faults.join(","))];
  return errorIf(name.split(".").length < 3, () =>
    fieldError.invalid(
      path,
      name,
      "should be a domain with at least three segments separated by dots",
    ),
  );
}

/** Label keys and other qualified names inside objects. */
export const labelKeyErrors = (name: string, path: string): FieldError[] =>
  labelKeyFaults(name).map((fault) => fieldError.invalid(path, name, fault));
