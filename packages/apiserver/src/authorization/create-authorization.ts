// The authorizer of a server: members of system:masters may do everything, then the authorization
// modes decide in order; the first that allows ends the chain.
// Upstream: k8s.io/kubernetes/pkg/kubeapiserver/authorizer/{config,reload}.go,
// k8s.io/apiserver/pkg/authorization/{union,authorizerfactory}.
import type { Authorization, Authorizer, UserRules } from "../apimachinery/authorizer.ts";
import { createRbacAuthorizer } from "./rbac/rbac-authorizer.ts";
import type { StoredPolicy } from "./rbac/stored-policy.ts";
import type { AuthorizationMode } from "./modes.ts";

const privilegedGroup = "system:masters";

/** Creates the authorizer of these modes. */
export function createAuthorization(
  modes: readonly AuthorizationMode[],
  policy: StoredPolicy,
): Authorization {
  const chain = modes.map((mode) => createMode(mode, policy));
  const authorizers = chain.map(({ authorize }) => authorize);
  return {
    authorize: union([privileged, ...authorizers]),
    rulesFor: (user, namespace) =>
      joinRules(chain.map(({ rulesFor }) => rulesFor(user, namespace))),
  };
}

function createMode(mode: AuthorizationMode, policy: StoredPolicy): Authorization {
  switch (mode) {
    case "AlwaysAllow":
      return alwaysAllow;
    case "AlwaysDeny":
      return alwaysDeny;
    case "RBAC":
      return createRbacAuthorizer(policy.index);
  }
}

const privileged: Authorizer = ({ user }) => ({
  allowed: user.groups.includes(privilegedGroup),
  reason: "",
});

/** Allows everything. */
export const alwaysAllow: Authorization = {
  authorize: () => ({ allowed: true, reason: "" }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
    nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
    incomplete: false,
    evaluationError: "",
  }),
};

const alwaysDeny: Authorization = {
  authorize: () => ({ allowed: false, reason: "Everything is forbidden." }),
  rulesFor: () => ({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: false,
    evaluationError: "",
  }),
};

/** A refusal gives the reasons of all. */
function union(authorizers: readonly Authorizer[]): Authorizer {
  return (attempt) => {
    const reasons: string[] = [];
    for (const authorize of authorizers) {
      const decision = authorize(attempt);
      if (decision.allowed) return decision;
      if (decision.reason) reasons.push(decision.reason);
    }
    return { allowed: false, reason: reasons.join("\n") };
  };
}

function joinRules(lists: readonly UserRules[]): UserRules {
  const errors = lists.flatMap(({ evaluationError }) => evaluationError || []);
  return {
    resourceRules: lists.flatMap(({ resourceRules }) => resourceRules),
    nonResourceRules: lists.flatMap(({ nonResourceRules }) => nonResourceRules),
    incomplete: lists.some(({ incomplete }) => incomplete),
    evaluationError: errors.length > 1 ? `[${errors.join(", ")}]` : (errors[0] ?? ""),
  };
}
