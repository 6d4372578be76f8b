// The token subresource of service accounts: answers a TokenRequest with a signed token.
// Upstream: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go,
// pkg/apis/authentication/validation.
import type { Decoded } from "homeostat/api";
import type { TokenRequest, TokenRequestSpec } from "homeostat/k8s/authentication/v1";
import type { ServiceAccount } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { conflictError, invalidError } from "../../../apimachinery/errors/api-errors.ts";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import type {
  ConnectCheck,
  ConnectCompletion,
  ConnectHandler,
} from "../../../apimachinery/rest/connecter.ts";
import { tokenLifetimeErrors } from "../../validation/field-rules.ts";
import { findBoundObject, tokenClaims } from "./token-claims.ts";

const kind = { group: "authentication.k8s.io", kind: "TokenRequest" };
const defaultSeconds = 3600;
const warnOnlySeconds = 3607;
const yearSeconds = 365 * 86_400;

/** Sets the default lifetime, an hour. */
function setTokenDefaults({ spec }: Decoded<TokenRequest>): void {
  if (spec) spec.expirationSeconds ??= defaultSeconds;
}

/** Refuses a request for another account than that of the path. */
const checkTokenRequest: ConnectCheck = (request: Decoded<TokenRequest>, account) => {
  for (const field of ["name", "namespace"] as const) {
    const value = request.metadata?.[field];
    if (value && value !== account[field])
      throw invalidError(kind, account.name, [
        fieldError.invalid(
          `metadata.${field}`,
          value,
          `must match the service account ${field} if specified`,
        ),
      ]);
  }
};

/** Names the account and its audiences, and checks the lifetime. */
const completeTokenRequest: ConnectCompletion = (
  request: Decoded<TokenRequest>,
  account: Decoded<ServiceAccount>,
  { now },
  { tokens },
) => {
  const { name = "", namespace = null, uid = null } = account.metadata ?? {};
  assertSameUid(request.metadata?.uid ?? "", account.metadata ?? {}, name ?? "");
  const spec = (request.spec ??= {});
  if (!spec.audiences?.length) spec.audiences = [...tokens.audiences];
  request.metadata = { ...request.metadata, name, namespace, uid, creationTimestamp: now };
  request.status = { token: "", expirationTimestamp: null };
  const errors = tokenLifetimeErrors(
    spec.expirationSeconds ?? defaultSeconds,
    "spec.expirationSeconds",
  );
  if (errors.length) throw invalidError(kind, "", errors);
};

/** Resolves to the request with a token in its status. */
const requestToken: ConnectHandler = async (
  account: Decoded<ServiceAccount>,
  request: Decoded<TokenRequest>,
  { now },
  tools,
) => {
  const spec = request.spec ?? {};
  const seconds = spec.expirationSeconds ?? defaultSeconds;
  const reference = spec.boundObjectRef ?? undefined;
  const bound = findBoundObject(account, reference, tools);
  const audiences = spec.audiences ?? [];
  const from = Date.parse(now) / 1000;
  const isLong = isExtended(spec, audiences, tools.tokens.audiences);
  const until = from + (isLong ? yearSeconds : Number(seconds));
  const terms = { id: tools.newUid(), audiences, from, until };
  tools.audit?.annotate("authentication.kubernetes.io/issued-credential-id", `JTI=${terms.id}`);
  return {
    status: 201,
    object: {
      kind: "TokenRequest",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { ...request.metadata },
      spec: {
        audiences: [...audiences],
        expirationSeconds: seconds,
        boundObjectRef: reference ?? null,
      },
      status: {
        token: tools.tokens.sign(tokenClaims(account, bound, terms)),
        expirationTimestamp: formatSeconds(from + Number(seconds)),
      },
    },
  };
};

/**
 * The kubelet requests tokens of {@link warnOnlySeconds} for pods. They live a year, for clients
 * that never read a token again.
 */
const isExtended = (
  { boundObjectRef, expirationSeconds }: Decoded<TokenRequestSpec>,
  audiences: readonly string[],
  serverAudiences: readonly string[],
): boolean =>
  boundObjectRef?.kind === "Pod" &&
  Number(expirationSeconds) === warnOnlySeconds &&
  audiences.every((audience) => serverAudiences.includes(audience));

const formatSeconds = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");

function assertSameUid(uid: string, account: Decoded<ObjectMeta>, name: string): void {
  if (uid && uid !== account.uid)
    throw conflictError(
      { group: kind.group, resource: kind.kind },
      name,
      `the UID in the token request (${uid}) does not match the UID of the service account (${String(account.uid)})`,
    );
}

/** The members of a definition that serve the subresource. */
export const tokenSubresource = {
  connect: { token: requestToken },
  connectChecks: { token: checkTokenRequest },
  connectCompletions: { token: completeTokenRequest },
  connectDefaults: { token: setTokenDefaults },
};
