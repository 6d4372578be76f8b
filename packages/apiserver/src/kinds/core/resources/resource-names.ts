// The classes of resource names: standard, extended, huge pages, overcommittable.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/helpers.go, pkg/apis/core/v1/helper/helpers.go.
import { labelKeyFaults } from "homeostat/api";

const hugePages = "hugepages-";
const standardContainer: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);
/** Kinds of which a quota limits the number of objects. */
const objectCounts = [
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
];
const standardQuota: ReadonlySet<string> = new Set([
  ...standardContainer,
  ...[...standardContainer, "storage"].map((name) => `requests.${name}`),
  ...[...standardContainer].map((name) => `limits.${name}`),
  ...objectCounts,
]);
const standard: ReadonlySet<string> = new Set([...standardQuota, "storage"]);
const integers: ReadonlySet<string> = new Set(objectCounts);

export const isHugePages = (name: string): boolean => name.startsWith(hugePages);
export const isStandardContainerResource = (name: string): boolean =>
  standardContainer.has(name) || isHugePages(name);
export const isStandardResource = (name: string): boolean =>
  standard.has(name) || name.startsWith("requests.hugepages-") || isHugePages(name);
/** Whether a quota tracks a name without a domain. */
export const isStandardQuotaResource = (name: string): boolean =>
  standardQuota.has(name) || isHugePages(name) || name.startsWith("requests.hugepages-");
/** Resources of Kubernetes: names without a domain, and those of kubernetes.io. */
export const isNativeResource = (name: string): boolean =>
  !name.includes("/") || name.includes("kubernetes.io/");
/** `example.com/gpu`: a resource of a device plug-in, which a quota can prefix with `requests.`. */
export const isExtendedResource = (name: string): boolean =>
  !isNativeResource(name) &&
  !name.startsWith("requests.") &&
  labelKeyFaults(`requests.${name}`).length === 0;
export const isOvercommitAllowed = (name: string): boolean =>
  isNativeResource(name) && !isHugePages(name);
/** Resources whose quantities are integers. */
export const isIntegerResource = (name: string): boolean =>
  integers.has(name) || isExtendedResource(name);
/** Resources that a pod may request as a whole. */
export const isPodLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || isHugePages(name);
