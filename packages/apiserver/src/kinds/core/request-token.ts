// The token subresource of service accounts: requests are checked as upstream checks them, and then refused, because this
// server signs no tokens.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go, pkg/apis/authentication/validation.
import type { Json, JsonObject } from "homeostat/api";
import { conflictError, failure, invalidError } from "../../registry/api-errors.ts";
import { type FieldError, invalid } from "../../registry/field-error.ts";
import type { ConnectHandler } from "../../registry/served-resource.ts";
import { objectAt, stringAt } from "../object/strategy.ts";

const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
const defaultSeconds = 3600;
const mostSeconds = 2 ** 32;

/** Always rejects: with upstream's error for a bad request, else with 501. */
export const requestToken: ConnectHandler = async (account, request) => {
  const metadata = objectAt(account, "metadata");
  const name = stringAt(metadata, "name");
  assertSameIdentity(objectAt(request, "metadata"), metadata, name);
  const seconds = objectAt(request, "spec")["expirationSeconds"] ?? defaultSeconds;
  const errors = lifetimeErrors(seconds);
  if (errors.length) throw invalidError(kind, "", errors);
  throw failure(501, "NotImplemented", `request a token for service account ${name}: this server does not issue service account tokens; authenticate with the token of its kubeconfig`);
};

function assertSameIdentity(requested: JsonObject, account: JsonObject, name: string): void {
  for (const field of ["name", "namespace"] as const) {
    const value = stringAt(requested, field);
    if (value && value !== account[field]) throw invalidError(kind, name, [invalid(`metadata.${field}`, value, `must match the service account ${field} if specified`)]);
  }
  const uid = stringAt(requested, "uid");
  if (uid && uid !== account["uid"])
    throw conflictError({ group: kind.group, resource: kind.kind }, name, `the UID in the token request (${uid}) does not match the UID of the service account (${String(account["uid"])})`);
}

function lifetimeErrors(seconds: Json): FieldError[] {
  if (Number(seconds) < 600) return [invalid("spec.expirationSeconds", seconds, "may not specify a duration less than 10 minutes")];
  return Number(seconds) > mostSeconds ? [invalid("spec.expirationSeconds", seconds, "may not specify a duration larger than 2^32 seconds")] : [];
}
