// Which version of a resource a webhook or policy wants to see, if the request is for it at all.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook),
// pkg/admission/plugin/policy/matching/matching.go.
import { ApiStatusError, type Decoded } from "homeostat/api";
import type {
  MatchResources,
  NamedRuleWithOperations,
  RuleWithOperations,
} from "homeostat/k8s/admissionregistration/v1";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { StoredObjects } from "../../registry/revisions/stored-objects.ts";
import { equivalentResources } from "./equivalent-resources.ts";
import { matchesRule } from "./rules.ts";
import { type MatchSelectors, matchSelectors } from "./selectors.ts";

/** What matching looks up. */
export interface MatchServices {
  readonly objects: StoredObjects;
  readonly catalog: ResourceCatalog;
}

/** What a webhook says about the requests that it is for. */
export interface WebhookCriteria extends MatchSelectors {
  readonly rules: readonly Decoded<RuleWithOperations>[];
  readonly matchPolicy: string | undefined;
}

/** What a policy or binding says about the requests that it is for. */
export interface PolicyCriteria extends MatchSelectors {
  readonly match: Decoded<MatchResources>;
}

/**
 * The version of the resource that the webhook is called for; undefined if it is not called. Throws
 * errors of the selectors.
 */
export function matchWebhook(
  criteria: WebhookCriteria,
  request: AdmissionRequest,
  services: MatchServices,
): ServedResource | undefined {
  const selected = matchSelectors(criteria, request, services.objects);
  if (selected === false) return undefined;
  const found = findVersion(criteria.rules, criteria.matchPolicy, request, services.catalog);
  if (found && selected instanceof ApiStatusError) throw selected;
  return found;
}

/**
 * The version of the resource that the policy is about; undefined if it is about other requests.
 * Throws errors of the selectors.
 */
export function matchPolicy(
  { match, ...selectors }: PolicyCriteria,
  request: AdmissionRequest,
  services: MatchServices,
): ServedResource | undefined {
  const selected = matchSelectors(selectors, request, services.objects);
  if (selected === false) return undefined;
  const find = (rules: readonly Decoded<NamedRuleWithOperations>[]): ServedResource | undefined =>
    findVersion(rules, match.matchPolicy, request, services.catalog);
  if (find(match.excludeResourceRules ?? [])) return undefined;
  const rules = match.resourceRules ?? [];
  const found = rules.length ? find(rules) : request.resource;
  if (found && selected instanceof ApiStatusError) throw selected;
  return found;
}

/** The version of the request if a rule names it; else the first that a rule names. */
function findVersion(
  rules: readonly Decoded<NamedRuleWithOperations>[],
  policy: string | null | undefined,
  request: AdmissionRequest,
  catalog: ResourceCatalog,
): ServedResource | undefined {
  const { resource, subresource } = request;
  if (rules.some((rule) => matchesNamedRule(rule, request, resource))) return resource;
  if (policy !== "Equivalent" || !rules.length) return undefined;
  const others = equivalentResources(catalog, resource, subresource);
  if (!others.length) return undefined;
  for (const rule of rules) {
    const found = others.find((each) => matchesNamedRule(rule, request, each));
    if (found) return found;
  }
  return undefined;
}

const matchesNamedRule = (
  rule: Decoded<NamedRuleWithOperations>,
  request: AdmissionRequest,
  resource: ServedResource,
): boolean =>
  matchesRule(rule, request, resource) &&
  (!rule.resourceNames?.length || rule.resourceNames.includes(request.name));
