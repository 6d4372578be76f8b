// Role-based access control: visits the rules that bindings give a user, cluster-wide ones first.
// Upstream: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/rbac.go,
// pkg/registry/rbac/validation/rule.go, k8s.io/client-go/listers/rbac/v1 (its errors).
import { aggregate } from "../../apimachinery/errors/aggregate.ts";
import type {
  Authorization,
  Decision,
  RequestedAction,
  UserRules,
} from "../../apimachinery/authorizer.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import type { Binding, PolicyIndex, RoleReference } from "./policy-index.ts";
import { type Rule, ruleAllows } from "./rule.ts";

/** Returns false to end the visit. */
type Visitor = (
  found:
    | { readonly rules: readonly Rule[]; readonly source: Source }
    | { readonly missing: RoleReference },
) => boolean;

/** What grants a rule. */
interface Source {
  readonly binding: Binding;
  readonly subject: string;
}

/** An authorizer by the roles and bindings of an index. */
export function createRbacAuthorizer(index: () => PolicyIndex): Authorization {
  return {
    authorize: ({ user, info }) => authorize(index(), user, info),
    rulesFor: (user, namespace) => listRules(rulesForUser(index(), user, namespace)),
  };
}

function authorize(index: PolicyIndex, user: UserInfo, info: RequestedAction): Decision {
  const errors: string[] = [];
  let granted: Source | undefined;
  visitRulesFor(index, user, info.namespace, (found) => {
    if ("missing" in found) errors.push(describeMissing(found.missing, listerName));
    else if (found.rules.some((rule) => ruleAllows(rule, info))) granted = found.source;
    return granted === undefined;
  });
  if (granted) return { allowed: true, reason: `RBAC: allowed by ${describe(granted)}` };
  return { allowed: false, reason: errors.length ? `RBAC: ${aggregate(errors)}` : "" };
}

/** What a user may do in a namespace. */
export interface RulesOfUser {
  readonly rules: readonly Rule[];
  /** The roles of its bindings that do not exist. */
  readonly missing: readonly RoleReference[];
}

/** All rules of a user, cluster-wide ones and those of a namespace. */
export function rulesForUser(index: PolicyIndex, user: UserInfo, namespace: string): RulesOfUser {
  const rules: Rule[] = [];
  const missing: RoleReference[] = [];
  visitRulesFor(index, user, namespace, (found) => {
    if ("missing" in found) missing.push(found.missing);
    else rules.push(...found.rules);
    return true;
  });
  return { rules, missing };
}

function visitRulesFor(
  index: PolicyIndex,
  user: UserInfo,
  namespace: string,
  visit: Visitor,
): void {
  for (const scope of namespace ? ["", namespace] : [""])
    for (const source of index.bindingsOf(user, scope)) {
      const { roleRef } = source.binding;
      const rules = index.rulesOfRole(roleRef, scope);
      if (!visit(rules ? { rules, source } : { missing: roleRef })) return;
    }
}

/** How an error names the resource of a role's kind. */
type ResourceName = (kind: string) => string;

/** Upstream's listers name a resource in the singular. */
const listerName: ResourceName = (kind) => kind.toLowerCase();

/** E.g. `clusterrole.rbac.authorization.k8s.io "view" not found`. */
export function describeMissing({ kind, name }: RoleReference, resource: ResourceName): string {
  return kind === "Role" || kind === "ClusterRole"
    ? `${resource(kind)}.rbac.authorization.k8s.io ${quoteGo(name)} not found`
    : `unsupported role reference kind: ${quoteGo(kind)}`;
}

/** E.g. `RoleBinding "read/default" of ClusterRole "view" to User "ann"`. */
function describe({ binding: { namespace, name, roleRef }, subject }: Source): string {
  const binding = namespace
    ? `RoleBinding ${quoteGo(`${name}/${namespace}`)}`
    : `ClusterRoleBinding ${quoteGo(name)}`;
  return `${binding} of ${roleRef.kind} ${quoteGo(roleRef.name)} to ${subject}`;
}

function listRules({ rules, missing }: RulesOfUser): UserRules {
  const errors = missing.map((role) => describeMissing(role, listerName));
  return {
    resourceRules: rules
      .filter(({ resources }) => resources.length)
      .map(({ verbs, apiGroups, resources, resourceNames }) => ({
        verbs,
        ...(apiGroups.length ? { apiGroups } : {}),
        resources,
        ...(resourceNames.length ? { resourceNames } : {}),
      })),
    nonResourceRules: rules
      .filter(({ nonResourceURLs }) => nonResourceURLs.length)
      .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs })),
    incomplete: false,
    evaluationError: errors.length ? aggregate(errors) : "",
  };
}
