// Authenticates a request: by the user that the transport has verified (client certificate,
// in-process), by bearer token, or else as anonymous.
// Upstream: k8s.io/apiserver/pkg/authentication/request (bearertoken, anonymous, union),
// pkg/endpoints/filters/authentication.go.
import { failure } from "../apimachinery/errors/api-errors.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { anonymous, type UserInfo } from "../apimachinery/user-info.ts";

/** Resolves a bearer token to its user; undefined for an unknown token. */
export type TokenAuthenticator = (
  token: string,
) => UserInfo | undefined | Promise<UserInfo | undefined>;

/** What authentication asks. */
export interface Authenticators {
  readonly tokens: TokenAuthenticator;
  /** Whether requests without credentials are anonymous. */
  readonly allowsAnonymous: boolean;
}

/**
 * Sets the request's user. Throws 401 for an unknown token, and without a token for a refused
 * certificate and where nobody may be anonymous.
 */
export async function authenticate(
  request: ServerRequest,
  { tokens, allowsAnonymous }: Authenticators,
): Promise<void> {
  const { user, headers, certificateRefused } = request.api;
  if (user) {
    request.user = user;
    return;
  }
  const token = readBearerToken(headers["authorization"] ?? "", request);
  if (token === undefined) {
    if (certificateRefused || !allowsAnonymous) throw failure(401, "Unauthorized", "Unauthorized");
    request.user = anonymous;
    return;
  }
  const holder = await tokens(token);
  if (!holder) throw failure(401, "Unauthorized", "Unauthorized");
  request.user = holder.groups.includes("system:authenticated")
    ? holder
    : { ...holder, groups: [...holder.groups, "system:authenticated"] };
}

/** The token of `Bearer …`; other schemes are ignored. */
function readBearerToken(authorization: string, { warnings }: ServerRequest): string | undefined {
  const [scheme = "", token = "", ...more] = authorization.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer") return undefined;
  if (!token && more.length)
    warnings.add(
      "the provided Authorization header contains extra space before the bearer token, and is ignored",
    );
  return token || undefined;
}
