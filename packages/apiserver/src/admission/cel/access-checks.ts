// Access checks of expressions (`authorizer`): each distinct check is decided once per request.
// Upstream: k8s.io/apiserver/pkg/cel/library/authz.go,
// pkg/admission/plugin/authorizer/caching_authorizer.go, pkg/authentication/serviceaccount/util.go.
import type { AccessCheck, AccessDecision, AccessQuery } from "@homeostat/cel";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import {
  type Authorizer,
  pathAction,
  type RequestedAction,
  resourceAction,
} from "../../apimachinery/authorizer.ts";

/** The access check of one request by `user`. */
export function createAccessCheck(authorizer: Authorizer, user: UserInfo): AccessCheck {
  const decided = new Map<string, AccessDecision>();
  return (query) => {
    const key = JSON.stringify(query);
    const known = decided.get(key) ?? decide(authorizer, user, query);
    decided.set(key, known);
    return known;
  };
}

function decide(authorizer: Authorizer, user: UserInfo, query: AccessQuery): AccessDecision {
  const { allowed, reason } = authorizer({
    user: query.serviceAccount ? serviceAccountUser(query.serviceAccount) : user,
    info: actionOf(query),
  });
  return { allowed, reason };
}

function serviceAccountUser({
  namespace,
  name,
}: NonNullable<AccessQuery["serviceAccount"]>): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`],
  };
}

function actionOf(query: AccessQuery): RequestedAction {
  const { path, verb, group, resource, subresource, namespace, name } = query;
  if (resource === "") return pathAction(verb, path);
  return resourceAction({ verb, group, resource, subresource, namespace, name });
}
