// The token subresource of service accounts: a request in, the same with a signed token out.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go,
// pkg/apis/authentication/validation.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { conflictError, invalidError } from "../../apimachinery/errors/api-errors.ts";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import type { ConnectCheck, ConnectHandler } from "../../apimachinery/rest/connecter.ts";
import { setIfNil, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { findBound, tokenClaims } from "./token-claims.ts";

const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
const defaultSeconds = 3600;
const mostSeconds = 2 ** 32;
const warnOnlySeconds = 3607;
const yearSeconds = 365 * 86_400;

/** An hour, where nothing is said. */
export function setTokenDefaults(request: JsonObject): void {
  if (isObject(request["spec"])) setIfNil(request["spec"], "expirationSeconds", defaultSeconds);
}

/** Refuses a request for another account than that of the path. */
export const checkTokenRequest: ConnectCheck = (request, place) => {
  const requested = objectAt(request, "metadata");
  for (const field of ["name", "namespace"] as const) {
    const value = stringAt(requested, field);
    if (value && value !== place[field])
      throw invalidError(kind, place.name, [
        invalid(`metadata.${field}`, value, `must match the service account ${field} if specified`),
      ]);
  }
};

/** Resolves to the request with a token in its status. */
export const requestToken: ConnectHandler = async (account, request, { now }, tools) => {
  const metadata = objectAt(account, "metadata");
  const name = stringAt(metadata, "name");
  assertSameUid(stringAt(objectAt(request, "metadata"), "uid"), metadata, name);
  const spec = objectAt(request, "spec");
  const seconds = spec["expirationSeconds"] ?? defaultSeconds;
  const errors = lifetimeErrors(seconds);
  if (errors.length) throw invalidError(kind, "", errors);
  const reference = isObject(spec["boundObjectRef"]) ? spec["boundObjectRef"] : undefined;
  const bound = findBound(account, reference, tools);
  const asked = spec["audiences"];
  const audiences =
    Array.isArray(asked) && asked.length ? asked.map(String) : tools.tokens.audiences;
  const from = Date.parse(now) / 1000;
  const terms = {
    id: tools.newUid(),
    audiences,
    from,
    until: from + lifetimeOf(Number(seconds), reference, audiences, tools.tokens.audiences),
  };
  const status = {
    token: tools.tokens.sign(tokenClaims(account, bound, terms)),
    expirationTimestamp: formatSeconds(from + Number(seconds)),
  };
  const { namespace, uid } = metadata;
  const identity = {
    ...objectAt(request, "metadata"),
    name,
    namespace: namespace!,
    uid: uid!,
    creationTimestamp: now,
  };
  return {
    status: 201,
    object: {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: identity,
      spec: {
        audiences: [...audiences],
        expirationSeconds: seconds,
        boundObjectRef: reference ?? null,
      },
      status,
    },
  };
};

/**
 * Tokens of pods for an hour and a bit live a year, so that clients which never read them again
 * keep working.
 */
function lifetimeOf(
  seconds: number,
  reference: JsonObject | undefined,
  audiences: readonly string[],
  own: readonly string[],
): number {
  const extended =
    reference?.["kind"] === "Pod" &&
    seconds === warnOnlySeconds &&
    audiences.every((audience) => own.includes(audience));
  return extended ? yearSeconds : seconds;
}

const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");

function assertSameUid(uid: string, account: JsonObject, name: string): void {
  if (uid && uid !== account["uid"])
    throw conflictError(
      { group: kind.group, resource: kind.kind },
      name,
      `the UID in the token request (${uid}) does not match the UID of the service account (${String(account["uid"])})`,
    );
}

function lifetimeErrors(seconds: Json): FieldError[] {
  if (Number(seconds) < 600)
    return [
      invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes"),
    ];
  return Number(seconds) > mostSeconds
    ? [
        invalid(
          "spec.expirationSeconds",
          seconds,
          "may not specify a duration larger than 2^32 seconds",
        ),
      ]
    : [];
}
