// Who is asking: whoever the door vouches for, the holder of a known bearer token, or nobody in
// particular.
// Upstream: k8s.io/apiserver/pkg/authentication/request (bearertoken, anonymous, union),
// pkg/endpoints/filters/authentication.go.
import { failure } from "../apimachinery/errors/api-errors.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";

/** The caller without credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** Finds the holder of a bearer token; undefined when nobody knows it. */
export type TokenAuthenticator = (
  token: string,
) => UserInfo | undefined | Promise<UserInfo | undefined>;

/**
 * Sets the request's user. Throws 401 for a token that nobody knows, or a refused certificate
 * alone, whatever is asked for.
 */
export async function authenticate(
  request: ServerRequest,
  tokens: TokenAuthenticator,
): Promise<void> {
  const { user, headers, certificateRefused } = request.api;
  if (user) {
    request.user = user;
    return;
  }
  const token = readBearerToken(headers["authorization"] ?? "", request);
  if (token === undefined) {
    if (certificateRefused) throw failure(401, "Unauthorized", "Unauthorized");
    request.user = anonymous;
    return;
  }
  const holder = await tokens(token);
  if (!holder) throw failure(401, "Unauthorized", "Unauthorized");
  request.user = holder.groups.includes("system:authenticated")
    ? holder
    : { ...holder, groups: [...holder.groups, "system:authenticated"] };
}

/** The token of `Bearer …`; other schemes are not looked at. */
function readBearerToken(authorization: string, { warnings }: ServerRequest): string | undefined {
  const [scheme = "", token = "", ...more] = authorization.trim().split(" ");
  if (scheme.toLowerCase() !== "bearer") return undefined;
  if (!token && more.length)
    warnings.add(
      "the provided Authorization header contains extra space before the bearer token, and is ignored",
    );
  return token || undefined;
}
