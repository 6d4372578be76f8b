// Refuses roles and bindings that would grant more than their author holds, unless the author may
// `escalate` the role or `bind` it. The last mutating step: it sees what would be stored, before
// that is validated.
// Upstream: k8s.io/kubernetes/pkg/registry/rbac/escalation_check.go,
// {role,clusterrole,rolebinding,clusterrolebinding}/policybased/storage.go,
// pkg/registry/rbac/validation/rule.go (ConfirmNoEscalation), pkg/registry/rbac/helpers.go.
import { type Decoded, equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { ClusterRole, RoleBinding } from "homeostat/k8s/rbac/v1";
import { aggregate } from "../../apimachinery/errors/aggregate.ts";
import { type Authorizer, resourceAction } from "../../apimachinery/authorizer.ts";
import {
  badRequestError,
  forbiddenError,
  notFoundError,
  plainError,
} from "../../apimachinery/errors/api-errors.ts";
import { quoteGo, quoteGoList } from "../../apimachinery/errors/field-error.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest, AdmissionStep } from "../../apimachinery/rest/admission.ts";
import { assertName } from "../../registry/revisions/storage-key.ts";
import type { PolicyIndex } from "./policy-index.ts";
import { describeRules, uncoveredRules } from "./policy-comparator.ts";
import { describeMissing, rulesForUser } from "./rbac-authorizer.ts";
import { readRules, type Rule } from "./rule.ts";

const group = "rbac.authorization.k8s.io";

/** What the check asks. */
export interface EscalationServices {
  readonly authorize: Authorizer;
  readonly index: () => PolicyIndex;
}

type Check = (request: AdmissionRequest, services: EscalationServices) => void;

const checks: Readonly<Record<string, Check>> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/** The step for one server. */
export function createEscalationCheck(services: EscalationServices): AdmissionStep {
  return (request) => {
    const { resource, operation, object, old, user, reinvocation } = request;
    if (resource.group !== group || !object) return;
    // Other steps may still change the object in a second pass.
    if (reinvocation?.pass === "first" && reinvocation.isNeeded) return;
    if (operation !== "CREATE" && operation !== "UPDATE") return;
    if (user.groups.includes("system:masters")) return;
    if (old && onlyOwnersDiffer(object, old)) return;
    checks[resource.resource]?.(request, services);
  };
}

function checkRole(request: AdmissionRequest, services: EscalationServices): void {
  if (mayEscalate(request, services.authorize)) return;
  const role = request.object as Decoded<ClusterRole>;
  assertHolds(request, services, readRules(role.rules));
  if (!hasAggregation(role) && !hasAggregation((request.old ?? {}) as Decoded<ClusterRole>)) return;
  if (missingRights(request, services, everything))
    throw refusal(request, "must have cluster-admin privileges to use the aggregationRule");
}

const hasAggregation = ({ aggregationRule }: Decoded<ClusterRole>): boolean =>
  Boolean(aggregationRule?.clusterRoleSelectors?.length);

const everything: readonly Rule[] = readRules([
  { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
  { verbs: ["*"], nonResourceURLs: ["*"] },
]);

function mayEscalate(request: AdmissionRequest, authorize: Authorizer): boolean {
  const { user, resource, namespace, requestName } = request;
  const info = resourceAction({
    verb: "escalate",
    group,
    resource: resource.resource,
    namespace,
    name: requestName ?? "",
  });
  return authorize({ user, info }).allowed;
}

function checkBinding(request: AdmissionRequest, services: EscalationServices): void {
  const { roleRef } = request.object as Decoded<RoleBinding>;
  const ref = { apiGroup: roleRef?.apiGroup ?? "", kind: roleRef?.kind ?? "" };
  const name = roleRef?.name ?? "";
  const { user, namespace } = request;
  const resource = { Role: "roles", ClusterRole: "clusterroles" }[ref.kind];
  if (resource === undefined)
    throw plainError(`unsupported role reference kind: ${quoteGo(ref.kind)}`);
  const info = resourceAction({ verb: "bind", group: ref.apiGroup, resource, namespace, name });
  if (services.authorize({ user, info }).allowed) return;
  if (resource === "roles" && !namespace) throw badRequestError("Namespace parameter required.");
  assertName(name);
  const rules = services.index().rulesOfRole({ kind: ref.kind, name }, namespace);
  // Upstream's store names the resource of the request that it serves.
  if (!rules) throw notFoundError(request.resource, name);
  assertHolds(request, services, rules);
}

function assertHolds(
  request: AdmissionRequest,
  services: EscalationServices,
  rules: readonly Rule[],
): void {
  const missing = missingRights(request, services, rules);
  if (missing) throw refusal(request, missing);
}

/** Why the user does not hold the rules; undefined when it does. */
function missingRights(
  { user, namespace, resource }: AdmissionRequest,
  { index }: EscalationServices,
  wanted: readonly Rule[],
): string | undefined {
  const { rules, missing } = rulesForUser(index(), user, namespace);
  const uncovered = uncoveredRules(rules, wanted);
  if (uncovered.length === 0) return undefined;
  const errors = missing.map((role) => describeMissing(role, () => resource.resource));
  const resolution = errors.length ? `; resolution errors: [${aggregate(errors)}]` : "";
  return (
    `user ${quoteGo(user.name)} (groups=${quoteGoList(user.groups)}) ` +
    "is attempting to grant RBAC permissions not currently held:\n" +
    `${describeRules(uncovered).join("\n")}${resolution}`
  );
}

const refusal = ({ resource, object }: AdmissionRequest, why: string): Error =>
  forbiddenError(resource, metadataOf(object!).name ?? "", why);

/** True for a write of the garbage collector: nothing but owners and finalizers changes. */
function onlyOwnersDiffer(object: Json, old: Json): boolean {
  return equalJson(comparable(object), comparable(old));
}

const fieldsOfGarbageCollection = ["ownerReferences", "finalizers", "selfLink", "managedFields"];

/** The object without what may differ, and without empty values. */
function comparable(object: Json): Json {
  if (!isObject(object) || !isObject(object["metadata"])) return object;
  const metadata = Object.fromEntries(
    Object.entries(object["metadata"]).filter(
      ([field]) => !fieldsOfGarbageCollection.includes(field),
    ),
  );
  return withoutEmpty({ ...object, metadata } as JsonObject);
}

function withoutEmpty(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([field, each]) => [field, withoutEmpty(each ?? null)] as const)
      .filter(([, each]) => !isEmpty(each)),
  );
}

const isEmpty = (value: Json): boolean =>
  value === null || value === "" || (Array.isArray(value) && value.length === 0);
