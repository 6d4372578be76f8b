// Checks a write against the quotas of its namespace and gives them with what it uses. Pure.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go (CheckRequest),
// k8s.io/kubernetes/pkg/quota/v1/evaluator/core (Handles).
import { compareBytewise, type Decoded } from "homeostat/api";
import type { Pod, ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import type { Quantity } from "../../apimachinery/values/quantity.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import type { ClaimSurroundings } from "../../kinds/core/quota/backed-resources.ts";
import { type Evaluator, evaluatorFor } from "../../kinds/core/quota/evaluators.ts";
import { hasDeadline } from "../../kinds/core/quota/pod-usage.ts";
import type { QuotaObject } from "../../kinds/core/quota/quota-amounts.ts";
import { isAbout, refuse } from "../admission-plugin.ts";
import type { LimitedResource } from "../configuration/resource-quota.ts";
import { missingRequirements } from "./pod-requirements.ts";
import {
  addSums,
  exceeding,
  formatSum,
  pickNames,
  type RunningQuota,
  withoutZeros,
} from "./running-quota.ts";

type Scope = ScopedResourceSelectorRequirement;

/** What a check depends on beside quotas and request. */
export interface QuotaTerms {
  readonly limited: readonly LimitedResource[];
  readonly now: number;
  readonly around: ClaimSurroundings;
}

type Sum = ReadonlyMap<string, Quantity>;

/** Whether a write can change what a quota counts. */
export function isHandled(request: AdmissionRequest): boolean {
  const { operation, subresource, resource, object, old } = request;
  const creates = operation === "CREATE";
  if (isAbout(request, "", "pods", "resize")) return !creates;
  if (isAbout(request, "", "pods"))
    return creates || hasDeadline(object as Decoded<Pod>) !== hasDeadline(old as Decoded<Pod>);
  if (isAbout(request, "", "persistentvolumeclaims", "status")) return !creates;
  if (subresource) return false;
  return creates || countsUpdates[resource.group]?.includes(resource.resource) === true;
}

const countsUpdates: Readonly<Record<string, readonly string[]>> = {
  "": ["services", "persistentvolumeclaims"],
  "resource.k8s.io": ["resourceclaims"],
};

/** The quotas with the usage of the write added; the same ones if it uses nothing of them. */
export function checkRequest(
  quotas: readonly RunningQuota[],
  request: AdmissionRequest,
  { limited, now, around }: QuotaTerms,
): readonly RunningQuota[] {
  const evaluator = evaluatorFor(request.resource, around);
  const object = request.object as QuotaObject;
  const matching = quotas.filter((quota) => matches(quota, evaluator, object));
  for (const quota of matching) assertUsable(quota, evaluator, request);
  const usage = evaluator.usage(object, now);
  const negative = [...usage].filter(([, { nano }]) => nano < 0n).map(([name]) => name);
  if (negative.length)
    throw refuse(request, `quota usage is negative for resource(s): ${joinNames(negative)}`);
  const counted = { evaluator, request, now };
  const uses = new Map(matching.map((quota) => [quota, usageIn(quota, usage, counted)]));
  const total = matching.length ? [...uses.values()] : [withoutZeros(usageChange(usage, counted))];
  if (limited.length && total.some(({ size }) => size))
    assertCovered({ limited, quotas, matching }, usage, counted);
  return quotas.map((quota) => charge(quota, uses.get(quota) ?? new Map(), request));
}

/** The quotas that cover a request, of those of its namespace. */
interface Covering {
  readonly limited: readonly LimitedResource[];
  readonly quotas: readonly RunningQuota[];
  readonly matching: readonly RunningQuota[];
}

/** What the configuration limits has a quota. Throws 403, or 500 where a scope has none. */
function assertCovered(
  { limited, quotas, matching }: Covering,
  usage: Sum,
  { evaluator, request }: Counted,
): void {
  const { group, resource } = request.resource;
  const parts = limited
    .filter((each) => each.apiGroup === group && each.resource === resource)
    .flatMap(({ matchContains }) => matchContains);
  const isCovered = (name: string): boolean =>
    matching.some(({ hard }) => hard.has(name) && evaluator.covers(name));
  const uncovered = [...usage]
    .filter(([name, { nano }]) => nano > 0n && parts.some((part) => name.includes(part)))
    .map(([name]) => name)
    .filter((name) => !isCovered(name));
  if (uncovered.length)
    throw refuse(request, `insufficient quota to consume: ${joinNames(uncovered)}`);
  const inScopes = (scopes: readonly Scope[]): readonly Scope[] =>
    scopes.filter((scope) => evaluator.inScope(scope, request.object as QuotaObject));
  const ofQuotas = inScopes(quotas.flatMap(({ scopes }) => scopes));
  const open = inScopes(
    limited.flatMap(({ matchScopes }) => matchScopes as readonly Scope[]),
  ).filter(({ scopeName }) => !ofQuotas.some((each) => each.scopeName === scopeName));
  if (open.length)
    throw plainError(
      `insufficient quota to match these scopes: [${open.map(formatScope).join(" ")}]`,
    );
}

/** As Go prints the struct: `{PriorityClass In [high]}`. */
const formatScope = ({ scopeName, operator, values = [] }: Scope): string =>
  `{${scopeName} ${operator} [${values.join(" ")}]}`;

function matches(
  { hard, scopes }: RunningQuota,
  evaluator: Evaluator,
  object: QuotaObject,
): boolean {
  return (
    [...hard.keys()].some((name) => evaluator.covers(name)) &&
    scopes.every((scope) => evaluator.inScope(scope, object))
  );
}

/** The object states what it must, and the quota's usage has been counted. */
function assertUsable(
  { name, hard, used }: RunningQuota,
  evaluator: Evaluator,
  request: AdmissionRequest,
): void {
  const limited = [...hard.keys()].filter((each) => evaluator.covers(each));
  const missing =
    request.resource.group === "" && request.resource.resource === "pods"
      ? missingRequirements(limited, request.object as Decoded<Pod>)
      : undefined;
  if (missing) throw refuse(request, `failed quota: ${name}: ${missing}`);
  if (!limited.every((each) => used.has(each)))
    throw refuse(request, `status unknown for quota: ${name}, resources: ${joinNames(limited)}`);
}

const joinNames = (names: readonly string[]): string => names.toSorted(compareBytewise).join(",");

interface Counted {
  readonly evaluator: Evaluator;
  readonly request: AdmissionRequest;
  readonly now: number;
}

/** An update uses what it has more than before, where the quota counted the old object too. */
function usageIn(quota: RunningQuota, usage: Sum, counted: Counted): Sum {
  const { evaluator, request } = counted;
  const before = request.old as QuotaObject | undefined;
  const didCount = before !== undefined && matches(quota, evaluator, before);
  return withoutZeros(didCount ? usageChange(usage, counted) : usage);
}

/** What a write uses more than the object that it updates. */
function usageChange(usage: Sum, { evaluator, request: { operation, old }, now }: Counted): Sum {
  const isUpdate = operation === "UPDATE" && old && metaString(old, "resourceVersion") !== "";
  return isUpdate ? exceeding(usage, evaluator.usage(old as QuotaObject, now)) : usage;
}

/** Throws 403 if the quota is exceeded. What a status reports is counted, but not refused. */
function charge(quota: RunningQuota, usage: Sum, request: AdmissionRequest): RunningQuota {
  if (!usage.size) return quota;
  const requested = pickNames(usage, (name) => quota.hard.has(name));
  const used = addSums(quota.used, requested);
  const isExceeded = (name: string): boolean =>
    requested.has(name) && used.get(name)!.nano > quota.hard.get(name)!.nano;
  const exceeded = new Set([...quota.hard.keys()].filter(isExceeded));
  if (exceeded.size && request.subresource !== "status") {
    const [asked, had, limited] = [requested, quota.used, quota.hard].map((sum) =>
      formatSum(pickNames(sum, (name) => exceeded.has(name))),
    );
    throw refuse(
      request,
      `exceeded quota: ${quota.name}, requested: ${asked}, used: ${had}, limited: ${limited}`,
    );
  }
  return { ...quota, used };
}
