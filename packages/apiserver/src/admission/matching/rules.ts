// Whether a rule of a webhook or policy is about a request.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/predicates/rules/rules.go.
import type { Decoded } from "homeostat/api";
import type { RuleWithOperations } from "homeostat/k8s/admissionregistration/v1";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";

/** A resource of one version. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

type Rule = Decoded<RuleWithOperations>;
type Attributes = Pick<AdmissionRequest, "operation" | "subresource" | "namespace">;

/** Kinds whose objects webhooks and policies never see, lest they lock themselves in. */
const exemptKinds = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/** True for requests about the configuration of admission itself. */
export const isExemptConfiguration = ({ kind }: Pick<AdmissionRequest, "kind">): boolean =>
  kind.group === "admissionregistration.k8s.io" && exemptKinds.has(kind.kind);

/** Whether the rule is about `attributes` as a request for `resource`. */
export function matchesRule(
  rule: Rule,
  attributes: Attributes,
  resource: GroupVersionResource,
): boolean {
  return (
    matchesScope(rule.scope, attributes.namespace, resource) &&
    includes(rule.operations, attributes.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((each) => matchesResource(each, attributes, resource))
  );
}

const includes = (items: readonly string[] | null | undefined, value: string): boolean =>
  items?.includes("*") === true || items?.includes(value) === true;

/** A namespace is cluster-scoped, though requests about it carry its name as their namespace. */
function matchesScope(
  scope: string | null | undefined,
  namespace: string,
  { group, version, resource }: GroupVersionResource,
): boolean {
  if (scope === undefined || scope === null || scope === "*") return true;
  const isNamespace = group === "" && version === "v1" && resource === "namespaces";
  const isNamespaced = !isNamespace && namespace !== "";
  if (scope === "Namespaced") return isNamespaced;
  return scope === "Cluster" && !isNamespaced;
}

// `pods`, `pods/status`, `*`, `pods/*`, `*/scale`, `*/*`.
function matchesResource(
  text: string,
  { subresource }: Attributes,
  { resource }: GroupVersionResource,
): boolean {
  const slash = text.indexOf("/");
  const name = slash < 0 ? text : text.slice(0, slash);
  const sub = slash < 0 ? "" : text.slice(slash + 1);
  return (name === "*" || name === resource) && (sub === "*" || sub === subresource);
}
