// What a resource name means: standard, extended, huge pages, overcommittable.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/helpers.go, pkg/apis/core/v1/helper/helpers.go.
import { labelKeyFaults } from "homeostat/api";

const hugePages = "hugepages-";
const standardContainer: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
const standard: ReadonlySet<string> = new Set([
  "cpu",
  "memory",
  "ephemeral-storage",
  "requests.cpu",
  "requests.memory",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "storage",
  "requests.storage",
  "services.nodeports",
  "services.loadbalancers",
]);
const integers: ReadonlySet<string> = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

export const isHugePages = (name: string): boolean => name.startsWith(hugePages);
export const isStandardContainerResource = (name: string): boolean =>
  standardContainer.has(name) || isHugePages(name);
export const isStandardResource = (name: string): boolean =>
  standard.has(name) || name.startsWith("requests.hugepages-") || isHugePages(name);
/** Resources of Kubernetes itself: bare names, and those below kubernetes.io. */
export const isNativeResource = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/");
/** `example.com/gpu`: what device plug-ins offer; a quota must be able to prefix it. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith("requests.") &&
  labelKeyFaults(`requests.${name}`).length === 0;
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !isHugePages(name);
/** Counted in whole numbers. */
export const isIntegerResource = (name: string): boolean =>
  integers.has(name) || isExtendedResource(name);
/** What resources of a whole pod may name. */
export const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || isHugePages(name);
