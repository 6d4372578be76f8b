// Authorizers: they allow or refuse a request, and a refusal reads as upstream's. Until RBAC is
// evaluated, every authenticated request is allowed.
// Upstream: k8s.io/apiserver/pkg/authorization/authorizer/interfaces.go,
// pkg/endpoints/handlers/responsewriters/errors.go,
// k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy (system:public-info-viewer).
import { failure, forbiddenError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { RequestInfo } from "../registry/request/request-info.ts";

/** Who wants to do what. */
export interface AuthorizerAttributes {
  readonly user: UserInfo;
  readonly info: RequestInfo;
}

/** What an authorizer decides; `reason` is appended to the refusal. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

export type Authorizer = (attempt: AuthorizerAttributes) => Decision | Promise<Decision>;

const yes: Decision = { allowed: true, reason: "" };
const no: Decision = { allowed: false, reason: "" };
const publicPaths = /^\/(?:healthz|livez|readyz|version)\/?$|^\/(?:healthz|livez|readyz)\/./;

/**
 * Allows every authenticated request; anonymous ones may read what upstream shows the public.
 */
export const allowAuthenticated: Authorizer = ({ user, info }) => {
  if (user.groups.includes("system:masters") || !user.groups.includes("system:unauthenticated"))
    return yes;
  return !info.isResource && info.verb === "get" && publicPaths.test(info.path) ? yes : no;
};

/**
 * The 403 for an attempt, e.g. `pods "web" is forbidden: User "bob" cannot get resource "pods" in
 * API group "" in the namespace "default"`.
 */
export function refusal({ user, info }: AuthorizerAttributes, reason: string): Error {
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
