// Impersonation of another user: checks what is given, and makes the headers of it. Pure.
// Upstream: k8s.io/client-go/transport/round_trippers.go (impersonatingRoundTripper).
import { argumentError } from "../util/argument-error.ts";
import { isOptions, unknownOptions } from "../util/option-faults.ts";
import type { Impersonation } from "./kubeconfig/cluster-access.ts";

/** The headers of no impersonation. */
export const noImpersonation: Readonly<Record<string, string>> = {};

/**
 * The headers; several values are joined by newlines, for the transport to repeat the header.
 *
 * @throws ERR_ARGUMENT
 */
export function impersonationHeaders(
  given: Impersonation | undefined,
): Readonly<Record<string, string>> {
  if (given === undefined) return noImpersonation;
  const problems = impersonationFaults(given);
  if (problems.length > 0) throw argumentError("impersonate", given, problems.join("; "));
  const { user, uid, groups = [], extra = {} } = given;
  const headers: Record<string, string> = { "impersonate-user": user };
  if (uid) headers["impersonate-uid"] = uid;
  if (groups.length > 0) headers["impersonate-group"] = groups.join("\n");
  for (const [key, values] of Object.entries(extra))
    if (values.length > 0)
      headers[`impersonate-extra-${escapeKey(key).toLowerCase()}`] = values.join("\n");
  return headers;
}

/** What is wrong with it, option by option. */
export function impersonationFaults(given: unknown): readonly string[] {
  if (!isOptions(given)) return ["an object with user"];
  const { user, uid, groups, extra } = given;
  return [
    ...unknownOptions(given, ["user", "uid", "groups", "extra"]),
    ...(isText(user) && user !== "" ? [] : ["user: a string that is not empty"]),
    ...(uid === undefined || isText(uid) ? [] : ["uid: a string"]),
    ...(groups === undefined || isTexts(groups) ? [] : ["groups: a list of strings"]),
    ...(extra === undefined || (isOptions(extra) && Object.values(extra).every(isTexts))
      ? []
      : ["extra: lists of strings by key"]),
  ];
}

/** A value may hold no line break: it would be another header. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && !/[\r\n\0]/.test(value);

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

/** Percent-encodes the bytes that no header name may have, and "%". */
const escapeKey = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(char)
        ? char
        : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
