// The policy of an audit log: which requests are recorded at which level. The first rule that
// matches decides; a request that none matches is not recorded. Pure.
// Upstream: k8s.io/apiserver/pkg/audit/policy/checker.go.
import type { AuditLevel } from "../apimachinery/audit.ts";
import type { RequestedAction } from "../apimachinery/authorizer.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { AuditStage } from "./audit-event.ts";

/** Resources of one API group; an absent list means all. */
export interface AuditedResources {
  /** "" for the core group, `*` for all. */
  readonly group?: string;
  // Subresources by name or by wildcard: pods, pods/log, pods/*, */scale, *.
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** A rule; every given list must match. */
export interface AuditPolicyRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditedResources[];
  /** "" for resources without a namespace. */
  readonly namespaces?: readonly string[];
  /** E.g. `/healthz*`; not together with resources and namespaces. */
  readonly nonResourceURLs?: readonly string[];
  /** In addition to those of the policy. */
  readonly omitStages?: readonly AuditStage[];
  /** In the place of that of the policy. */
  readonly omitManagedFields?: boolean;
}

/** A Policy of audit.k8s.io/v1. */
export interface AuditPolicy {
  readonly rules: readonly AuditPolicyRule[];
  readonly omitStages?: readonly AuditStage[];
  /** Leaves managedFields out of recorded objects. */
  readonly omitManagedFields?: boolean;
}

/** How one request is recorded. */
export interface AuditScope {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** Finds how a request is recorded; without a user for one that fails to authenticate. */
export type AuditEvaluator = (user: UserInfo | undefined, info: RequestedAction) => AuditScope;

/** Prepares a policy. */
export function createAuditEvaluator(policy: AuditPolicy): AuditEvaluator {
  const { omitManagedFields = false, omitStages = [] } = policy;
  const scopes = policy.rules.map((rule) => ({
    level: rule.level,
    omitStages: new Set([...omitStages, ...(rule.omitStages ?? [])]),
    omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
  }));
  const unmatched: AuditScope = {
    level: "None",
    omitStages: new Set(omitStages),
    omitManagedFields,
  };
  return (user, info) => {
    const at = policy.rules.findIndex((rule) => matches(rule, user, info));
    return scopes[at] ?? unmatched;
  };
}

function matches(
  rule: AuditPolicyRule,
  user: UserInfo | undefined,
  info: RequestedAction,
): boolean {
  const { users = [], userGroups = [], verbs = [] } = rule;
  if (users.length && !(user && users.includes(user.name))) return false;
  if (userGroups.length && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs.length && !verbs.includes(info.verb)) return false;
  const { namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (namespaces.length || resources.length) return matchesResource(namespaces, resources, info);
  if (nonResourceURLs.length)
    return !info.isResource && nonResourceURLs.some((url) => matchesPath(url, info.path));
  return true;
}

/** `*`, the path itself, or the beginning of the path before a `*`. */
const matchesPath = (url: string, path: string): boolean =>
  url === "*" || url === path || (url.endsWith("*") && path.startsWith(url.replace(/\*+$/, "")));

function matchesResource(
  namespaces: readonly string[],
  resources: readonly AuditedResources[],
  info: RequestedAction,
): boolean {
  if (!info.isResource) return false;
  if (namespaces.length && !namespaces.includes(info.namespace)) return false;
  return !resources.length || resources.some((each) => matchesGroup(each, info));
}

function matchesGroup(
  { group = "", resources = [], resourceNames = [] }: AuditedResources,
  info: RequestedAction,
): boolean {
  if (group !== info.group && group !== "*") return false;
  if (!resources.length) return true;
  if (resourceNames.length && !resourceNames.includes(info.name)) return false;
  return resources.some((pattern) => matchesName(pattern, info));
}

function matchesName(pattern: string, { resource, subresource }: RequestedAction): boolean {
  const combined = subresource ? `${resource}/${subresource}` : resource;
  if (pattern === combined || pattern === "*") return true;
  if (subresource && pattern.startsWith("*/") && subresource === pattern.slice(2)) return true;
  return pattern.endsWith("/*") && resource === pattern.slice(0, -2);
}
