// The usage of pods: requests and limits until they finish, and the scopes that they are in. Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/pods.go,
// k8s.io/component-helpers/resource/helpers.go (PodRequests).
import type { JsonObject } from "homeostat/api";
import { qosClassOf } from "../../kinds/core/pod/quality-of-service.ts";
import { type ResourceBound, sumContainers } from "../../kinds/core/resources/resource-lists.ts";
import { isExtendedResource, isNativeResource } from "../../kinds/core/resources/resource-names.ts";
import { parseQuantity, type Quantity } from "../../apimachinery/values/quantity.ts";
import {
  itemsAt,
  optionalNumberAt,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { addTo, type Amounts, type Counted, meetsScope, one, type Sums } from "./quota-amounts.ts";
import type { ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";

const named: ReadonlySet<string> = new Set([
  "count/pods",
  "pods",
  ...["", "requests.", "limits."].flatMap((prefix) =>
    ["cpu", "memory", "ephemeral-storage"].map((name) => `${prefix}${name}`),
  ),
]);
const deviceClass = "deviceclass.resource.kubernetes.io/";

/** Whether a quota on `name` is about pods. */
export function isPodResource(name: string): boolean {
  if (named.has(name) || name.startsWith("hugepages-") || name.startsWith("requests.hugepages-"))
    return true;
  return (
    name.startsWith("requests.") &&
    (!isNativeResource(name) || name.startsWith(`requests.${deviceClass}`))
  );
}

/** Whether a pod uses compute resources: it has not finished, and its deletion is not overdue. */
export function isCharged({ metadata, status = {} }: Counted, now: number): boolean {
  if (["Failed", "Succeeded"].includes(stringAt(status, "phase"))) return false;
  const { deletionTimestamp, deletionGracePeriodSeconds: grace } = metadata;
  return (
    deletionTimestamp === undefined ||
    grace === undefined ||
    now <= Date.parse(deletionTimestamp) + grace * 1000
  );
}

/** The usage of a pod. */
export function podUsage(pod: Counted, now: number): Sums {
  const used: Sums = new Map([["count/pods", one]]);
  if (!isCharged(pod, now)) return used;
  used.set("pods", one);
  for (const [name, amount] of podSum(pod, "requests")) {
    const isHuge = name.startsWith("hugepages-");
    if (["cpu", "memory", "ephemeral-storage"].includes(name) || isHuge)
      used.set(name, amount).set(`requests.${name}`, amount);
    if (isExtendedResource(name) || name.startsWith(deviceClass))
      used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of podSum(pod, "limits"))
    if (["cpu", "memory", "ephemeral-storage"].includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

/**
 * The requests or limits of a whole pod: of its containers, or its own where set, plus overhead.
 */
function podSum(pod: Counted, bound: ResourceBound): Sums {
  const { spec = {} } = pod;
  const sum = sumContainers(effectiveSpec(pod), bound);
  for (const [name, text] of Object.entries(textMapAt(objectAt(spec, "resources"), bound)))
    if (isPodLevel(name)) sum.set(name, parseQuantity(text));
  for (const [name, text] of Object.entries(textMapAt(spec, "overhead")))
    if (bound === "requests" || (sum.get(name)?.nano ?? 0n) !== 0n)
      addTo(sum, name, parseQuantity(text));
  return sum;
}

const isPodLevel = (name: string): boolean =>
  ["cpu", "memory"].includes(name) || name.startsWith("hugepages-");

/** The spec with the actual resources of containers that are being resized. */
function effectiveSpec({ spec = {}, status = {} }: Counted): JsonObject {
  const isInfeasible =
    itemsAt(status, "conditions").find(
      (condition) => stringAt(condition, "type") === "PodResizePending",
    )?.["reason"] === "Infeasible";
  const statuses = [
    ...itemsAt(status, "containerStatuses"),
    ...itemsAt(status, "initContainerStatuses"),
  ];
  const resized = (container: JsonObject): JsonObject => {
    const found = statuses.find((one) => stringAt(one, "name") === stringAt(container, "name"));
    if (!found || found["resources"] === undefined) return container;
    const actual = objectAt(found, "resources");
    const own = objectAt(container, "resources");
    const wanted = (bound: ResourceBound): readonly Amounts[] =>
      isInfeasible ? [] : [textMapAt(own, bound)];
    const requests = highest([
      ...wanted("requests"),
      textMapAt(actual, "requests"),
      textMapAt(found, "allocatedResources"),
    ]);
    return {
      ...container,
      resources: { requests, limits: highest([...wanted("limits"), textMapAt(actual, "limits")]) },
    };
  };
  const sidecar = (container: JsonObject): JsonObject =>
    stringAt(container, "restartPolicy") === "Always" ? resized(container) : container;
  return {
    ...spec,
    containers: itemsAt(spec, "containers").map(resized),
    initContainers: itemsAt(spec, "initContainers").map(sidecar),
  };
}

/** The highest amount of each resource. */
function highest(lists: readonly Amounts[]): Record<string, string> {
  const nano = (text: string): Quantity["nano"] => parseQuantity(text).nano;
  const result: Record<string, string> = {};
  for (const [name, text] of lists.flatMap((list) => Object.entries(list)))
    if (result[name] === undefined || nano(text) > nano(result[name])) result[name] = text;
  return result;
}

/** Whether the pod has a deadline. */
export const hasDeadline = ({ spec = {} }: Counted): boolean =>
  (optionalNumberAt(spec, "activeDeadlineSeconds") ?? -1) >= 0;

/** Whether the pod is in a scope. */
export function isPodInScope(scope: ScopedResourceSelectorRequirement, pod: Counted): boolean {
  const { spec = {} } = pod;
  const priority = stringAt(spec, "priorityClassName");
  switch (scope.scopeName) {
    case "Terminating":
      return hasDeadline(pod);
    case "NotTerminating":
      return !hasDeadline(pod);
    case "BestEffort":
      return qosClassOf(spec) === "BestEffort";
    case "NotBestEffort":
      return qosClassOf(spec) !== "BestEffort";
    case "PriorityClass":
      return meetsScope(scope, priority ? [priority] : []);
    case "CrossNamespacePodAffinity":
      return reachesOtherNamespaces(objectAt(spec, "affinity"));
    default:
      return false;
  }
}

function reachesOtherNamespaces(affinity: JsonObject): boolean {
  const terms = ["podAffinity", "podAntiAffinity"].flatMap((side) => {
    const rules = objectAt(affinity, side);
    const preferred = itemsAt(rules, "preferredDuringSchedulingIgnoredDuringExecution").map(
      (term) => objectAt(term, "podAffinityTerm"),
    );
    return [...itemsAt(rules, "requiredDuringSchedulingIgnoredDuringExecution"), ...preferred];
  });
  return terms.some(
    (term) =>
      (Array.isArray(term["namespaces"]) && term["namespaces"].length > 0) ||
      (term["namespaceSelector"] ?? null) !== null,
  );
}
