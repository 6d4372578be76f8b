// The usage and the scopes of pods. Finished pods use no compute resources. Pure.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/pods.go,
// k8s.io/component-helpers/resource/helpers.go (PodRequests).
import type { Decoded } from "homeostat/api";
import { qosClassOf } from "../resources/quality-of-service.ts";
import { type ResourceBound, sumPod, type ResourceSum } from "../resources/resource-lists.ts";
import { isExtendedResource, isNativeResource } from "../resources/resource-names.ts";
import { parseQuantity, type Quantity } from "../../../apimachinery/values/quantity.ts";
import type {
  Affinity,
  Container,
  Pod,
  PodSpec,
  ScopedResourceSelectorRequirement,
} from "homeostat/k8s/core/v1";
import { type Amounts, meetsScope, one } from "./quota-amounts.ts";

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
export function isCharged({ metadata, status }: Decoded<Pod>, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata ?? {};
  const graceSeconds = deletionGracePeriodSeconds ?? undefined;
  return (
    !deletionTimestamp ||
    graceSeconds === undefined ||
    now <= Date.parse(deletionTimestamp) + Number(graceSeconds) * 1000
  );
}

/** The usage of a pod. */
export function podUsage(pod: Decoded<Pod>, now: number): ResourceSum {
  const used: ResourceSum = new Map([["count/pods", one]]);
  if (!isCharged(pod, now)) return used;
  used.set("pods", one);
  const spec = effectiveSpec(pod);
  for (const [name, amount] of sumPod(spec, "requests")) {
    const isHuge = name.startsWith("hugepages-");
    if (["cpu", "memory", "ephemeral-storage"].includes(name) || isHuge)
      used.set(name, amount).set(`requests.${name}`, amount);
    if (isExtendedResource(name) || name.startsWith(deviceClass))
      used.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of sumPod(spec, "limits"))
    if (["cpu", "memory", "ephemeral-storage"].includes(name)) used.set(`limits.${name}`, amount);
  return used;
}

/** The spec with the actual resources of containers that are being resized. */
function effectiveSpec({ spec, status }: Decoded<Pod>): Decoded<PodSpec> {
  const isInfeasible =
    status?.conditions?.find(({ type }) => type === "PodResizePending")?.reason === "Infeasible";
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  const resized = (container: Decoded<Container>): Decoded<Container> => {
    const found = statuses.find(({ name }) => name === container.name);
    const actual = found?.resources;
    if (!found || !actual) return container;
    const wanted = (bound: ResourceBound): readonly Amounts[] =>
      isInfeasible ? [] : [container.resources?.[bound] ?? {}];
    const requests = highest([
      ...wanted("requests"),
      actual.requests ?? {},
      found.allocatedResources ?? {},
    ]);
    return {
      ...container,
      resources: { requests, limits: highest([...wanted("limits"), actual.limits ?? {}]) },
    };
  };
  const sidecar = (container: Decoded<Container>): Decoded<Container> =>
    container.restartPolicy === "Always" ? resized(container) : container;
  return {
    ...spec,
    containers: (spec?.containers ?? []).map(resized),
    initContainers: (spec?.initContainers ?? []).map(sidecar),
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
export const hasDeadline = ({ spec }: Decoded<Pod>): boolean =>
  Number(spec?.activeDeadlineSeconds ?? -1) >= 0;

/** Whether the pod is in a scope. */
export function isPodInScope(scope: ScopedResourceSelectorRequirement, pod: Decoded<Pod>): boolean {
  const spec = pod.spec ?? {};
  const priority = spec.priorityClassName;
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
      return reachesOtherNamespaces(spec.affinity ?? {});
    default:
      return false;
  }
}

function reachesOtherNamespaces({ podAffinity, podAntiAffinity }: Decoded<Affinity>): boolean {
  const terms = [podAffinity, podAntiAffinity].flatMap((rules) => [
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ podAffinityTerm }) => podAffinityTerm ?? {},
    ),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) =>
      (namespaces ?? []).length > 0 || Boolean(namespaceSelector),
  );
}
