// Verifies bearer tokens: static ones given at start, and service account tokens whose account
// still exists.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/{jwt,claims}.go,
// pkg/registry/authentication/tokenreview, k8s.io/apiserver/pkg/authentication/request/bearertoken.
import { isObject, type JsonObject } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import type { TokenIssuer } from "../apimachinery/rest/token-issuer.ts";
import { anonymous, type UserInfo } from "../apimachinery/user-info.ts";
import { quoteGo, quoteGoList } from "../apimachinery/errors/field-error.ts";
import { objectAt } from "../apimachinery/meta/read-fields.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { TokenReviewResult } from "../apimachinery/rest/review.ts";
import { storageKeyOf } from "../registry/revisions/storage-key.ts";
import { parseStored } from "../registry/revisions/stored-json.ts";
import type { Store } from "../storage/store.ts";

export interface BearerTokensOptions {
  readonly given: ReadonlyMap<string, UserInfo>;
  /** Whether requests without credentials are anonymous. */
  readonly allowsAnonymous: boolean;
  readonly issuer: TokenIssuer;
  readonly store: Store;
  readonly catalog: ResourceCatalog;
  readonly clock: Clock;
}

/** Verifies a token; empty `audiences` mean the server's own. */
export type ReviewToken = (token: string, audiences: readonly string[]) => TokenReviewResult;

const unknownToken: TokenReviewResult = { error: "invalid bearer token" };
/** Tolerated clock skew. */
const leewaySeconds = 60;

/** Creates the verifier. */
export function createBearerTokens({
  given,
  allowsAnonymous,
  issuer,
  store,
  catalog,
  clock,
}: BearerTokensOptions): ReviewToken {
  const read = (resource: string, namespace: string, name: string): JsonObject | undefined => {
    const served = catalog.find("", "v1", resource);
    const revision = served && store.latest(storageKeyOf(served, namespace, name));
    return revision && parseStored(revision.bytes);
  };
  return (sent, asked) => {
    const wanted = asked.length ? asked : issuer.audiences;
    const token = tokenIn(`Bearer ${sent}`);
    if (!token) return allowsAnonymous ? { user: anonymous, audiences: wanted } : { error: "" };
    const user = given.get(token);
    if (user)
      return forAudiences({
        user: withAuthenticated(user),
        audiences: issuer.audiences.filter((audience) => wanted.includes(audience)),
      });
    const verified = issuer.verify(token);
    if (!verified) return unknownToken;
    if ("fault" in verified) return { error: `[invalid bearer token, ${verified.fault}]` };
    const { claims } = verified;
    const meant = Array.isArray(claims["aud"]) ? claims["aud"].map(String) : [];
    const audiences = [...new Set(meant)].filter((audience) => wanted.includes(audience));
    const fault =
      audiences.length === 0
        ? `token audiences ${quoteGoList(meant)} is invalid for the target audiences ${quoteGoList(wanted)}`
        : (timeFault(claims, clock.now() / 1000) ?? objectFault(claims, read));
    return fault === undefined
      ? { user: withAuthenticated(accountUser(claims)), audiences }
      : { error: `[invalid bearer token, ${fault}]` };
  };
}

/**
 * The token of a header, which ends at a space; undefined if there is none. A review authenticates
 * such a header.
 */
const tokenIn = (authorization: string): string | undefined => authorization.trim().split(" ")[1];

/** A static token is valid for the server's own audiences only. */
const forAudiences = (result: {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}): TokenReviewResult => (result.audiences.length ? result : unknownToken);

const withAuthenticated = (user: UserInfo): UserInfo =>
  user.groups.includes("system:authenticated")
    ? user
    : { ...user, groups: [...user.groups, "system:authenticated"] };

function timeFault(claims: JsonObject, now: number): string | undefined {
  if (Number(claims["nbf"]) > now + leewaySeconds) return "service account token is not valid yet";
  return Number(claims["exp"]) < now - leewaySeconds
    ? "service account token has expired"
    : undefined;
}

type Read = (resource: string, namespace: string, name: string) => JsonObject | undefined;

/** The account, and the object that the token is bound to, must exist with the same uid. */
function objectFault(claims: JsonObject, read: Read): string | undefined {
  const kubernetes = objectAt(claims, "kubernetes.io");
  const namespace = String(kubernetes["namespace"] ?? "");
  const account = objectAt(kubernetes, "serviceaccount");
  const found = read("serviceaccounts", namespace, String(account["name"]));
  if (!found) return `serviceaccounts ${quoteGo(String(account["name"]))} not found`;
  const uid = uidOf(found);
  if (uid !== account["uid"])
    return `service account UID (${uid}) does not match claim (${String(account["uid"])})`;
  for (const [claim, resource, what] of bindings) {
    const reference = kubernetes[claim];
    if (!isObject(reference) || (claim === "node" && "pod" in kubernetes)) continue;
    const bound = read(resource, namespace, String(reference["name"]));
    if (!bound) return "service account token has been invalidated";
    if (uidOf(bound) !== reference["uid"])
      return `${what} UID (${uidOf(bound)}) does not match service account ${claim} ref claim (${String(reference["uid"])})`;
  }
  return undefined;
}

const bindings = [
  ["secret", "secrets", "secret"],
  ["pod", "pods", "pod"],
  ["node", "nodes", "node"],
] as const;

function accountUser(claims: JsonObject): UserInfo {
  const kubernetes = objectAt(claims, "kubernetes.io");
  const namespace = String(kubernetes["namespace"]);
  const bound = (["pod", "node"] as const).flatMap((claim) => {
    const { name, uid } = objectAt(kubernetes, claim);
    const key = `authentication.kubernetes.io/${claim}`;
    return [
      ...(name ? [[`${key}-name`, [String(name)]] as const] : []),
      ...(uid ? [[`${key}-uid`, [String(uid)]] as const] : []),
    ];
  });
  return {
    name: String(claims["sub"]),
    uid: String(objectAt(kubernetes, "serviceaccount")["uid"]),
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
    extra: {
      "authentication.kubernetes.io/credential-id": [`JTI=${String(claims["jti"])}`],
      ...Object.fromEntries(bound),
    },
  };
}

const uidOf = (object: JsonObject): string => String(objectAt(object, "metadata")["uid"]);
