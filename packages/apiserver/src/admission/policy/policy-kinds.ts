// What policies and bindings of both kinds have in common.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/policy/generic/accessor.go.
import type { Decoded } from "homeostat/api";
import type {
  MatchCondition,
  MatchResources,
  ParamKind,
  ParamRef,
  Variable,
} from "homeostat/k8s/admissionregistration/v1";

/** The spec of a policy, as far as both kinds have it. */
export interface PolicySpec {
  readonly paramKind?: Decoded<ParamKind> | null;
  readonly matchConstraints?: Decoded<MatchResources> | null;
  readonly matchConditions?: readonly Decoded<MatchCondition>[] | null;
  readonly variables?: readonly Decoded<Variable>[] | null;
  readonly failurePolicy?: string | null;
}

/** The spec of a binding, as far as both kinds have it. */
export interface BindingSpec {
  readonly policyName?: string | null;
  readonly paramRef?: Decoded<ParamRef> | null;
  readonly matchResources?: Decoded<MatchResources> | null;
  readonly validationActions?: readonly string[] | null;
}

const group = "admissionregistration.k8s.io";

/** The resources of one kind of policy and of its bindings. */
export interface PolicyResources {
  readonly policies: { readonly group: string; readonly resource: string };
  readonly bindings: { readonly group: string; readonly resource: string };
}

const resourcesOf = (kind: "validating" | "mutating"): PolicyResources => ({
  policies: { group, resource: `${kind}admissionpolicies` },
  bindings: { group, resource: `${kind}admissionpolicybindings` },
});

export const validatingResources = resourcesOf("validating");
export const mutatingResources = resourcesOf("mutating");

/** Policies do not apply to policies, or nobody could mend them; nor to reviews. */
export const exemptResources: ReadonlySet<string> = new Set([
  ...[validatingResources, mutatingResources].flatMap(({ policies, bindings }) => [
    `${group}/${policies.resource}`,
    `${group}/${bindings.resource}`,
  ]),
  "authentication.k8s.io/selfsubjectreviews",
  "authentication.k8s.io/tokenreviews",
  "authorization.k8s.io/localsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectaccessreviews",
  "authorization.k8s.io/selfsubjectrulesreviews",
  "authorization.k8s.io/subjectaccessreviews",
]);
