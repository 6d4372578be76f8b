// The 403 for what an authorizer does not allow.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go.
import type { ApiStatusError } from "homeostat/api";
import type { AuthorizerAttributes, RequestedAction } from "./authorizer.ts";
import { failure, forbiddenError } from "./errors/api-errors.ts";
import { quoteGo } from "./errors/field-error.ts";
import type { UserInfo } from "./user-info.ts";

/**
 * The 403 for an attempt, e.g. `pods "web" is forbidden: User "bob" cannot get resource "pods" in
 * API group "" in the namespace "default"`.
 */
export function refusal({ user, info }: AuthorizerAttributes, reason: string): ApiStatusError {
  const why = `${withoutTags(describe(user, info))}${reason ? `: ${reason}` : ""}`;
  return info.resource
    ? forbiddenError({ group: info.group, resource: info.resource }, info.name, why)
    : failure(403, "Forbidden", `forbidden: ${why}`, {
        ...(info.name ? { name: info.name } : {}),
        ...(info.group ? { group: info.group } : {}),
      });
}

function describe({ name }: UserInfo, info: RequestedAction): string {
  const user = `User ${quoteGo(name)}`;
  if (!info.isResource) return `${user} cannot ${info.verb} path ${quoteGo(info.path)}`;
  const resource = info.subresource ? `${info.resource}/${info.subresource}` : info.resource;
  const scope = info.namespace
    ? `in the namespace ${quoteGo(info.namespace)}`
    : "at the cluster scope";
  return `${user} cannot ${info.verb} resource ${quoteGo(resource)} in API group ${quoteGo(info.group)} ${scope}`;
}

/** No browser may take a refusal for HTML. */
const withoutTags = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
