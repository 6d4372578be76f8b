// May they? Everybody who has been authenticated may do everything, until an authorizer is given;
// those without credentials may see what upstream shows the public. A refusal reads as upstream's.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/authorization.go,
// handlers/responsewriters/errors.go,
// k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy (system:public-info-viewer).
import { failure, forbiddenError } from "../registry/api-errors.ts";
import { quoteGo } from "../registry/field-error.ts";
import type { RequestInfo } from "../registry/request/request-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import type { UserInfo } from "../http/handler.ts";

/** What somebody wants to do. */
export interface Attempt {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

/** An authorizer's word; `reason` is appended to the refusal. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorizer = (attempt: Attempt) => Decision | Promise<Decision>;

const yes: Decision = { allowed: true, reason: "" };
const no: Decision = { allowed: false, reason: "" };
const publicPaths = /^\/(?:healthz|livez|readyz|version)\/?$|^\/(?:healthz|livez|readyz)\/./;

/** Allows everything to whoever has been authenticated. */
export const allowAuthenticated: Authorizer = ({ user, info }) => {
  if (user.groups.includes("system:masters") || !user.groups.includes("system:unauthenticated"))
    return yes;
  return !info.isResource && info.verb === "get" && publicPaths.test(info.path) ? yes : no;
};

/** Throws 403 when the authorizer refuses. */
export async function authorize(
  { user, info }: ServerRequest,
  authorizer: Authorizer,
): Promise<void> {
  const decision = await authorizer({ user, info });
  if (!decision.allowed) throw refusal({ user, info }, decision.reason);
}

/**
 * The 403 for an attempt, e.g. `pods "web" is forbidden: User "bob" cannot get resource "pods" in
 * API group "" in the namespace "default"`.
 */
export function refusal({ user, info }: Attempt, reason: string): Error {
  const why = `${describe(user, info)}${reason ? `: ${reason}` : ""}`;
  return info.isResource
    ? forbiddenError({ group: info.group, resource: info.resource }, info.name, why)
    : failure(403, "Forbidden", `forbidden: ${why}`, {});
}

function describe({ name }: UserInfo, info: RequestInfo): string {
  if (!info.isResource)
    return `User ${quoteGo(name)} cannot ${info.verb} path ${quoteGo(info.path)}`;
  const resource = info.subresource ? `${info.resource}/${info.subresource}` : info.resource;
  const scope = info.namespace
    ? `in the namespace ${quoteGo(info.namespace)}`
    : "at the cluster scope";
  return `User ${quoteGo(name)} cannot ${info.verb} resource ${quoteGo(resource)} in API group ${quoteGo(info.group)} ${scope}`;
}
