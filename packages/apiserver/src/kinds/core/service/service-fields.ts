// Fields of a service, and what they imply: whether it is headless, and what it takes from the
// pools of addresses and node ports.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/strategy.go,
// pkg/registry/core/service/storage/{storage,alloc}.go, pkg/api/service/util.go.
import { type Decoded, equalJson } from "homeostat/api";
import type { IPFamilyPolicy, Service, ServicePort, ServiceSpec } from "homeostat/k8s/core/v1";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";

/** The spec; empty when absent. */
export const specOf = ({ spec }: Decoded<Service>): Decoded<ServiceSpec> => spec ?? {};
export const typeOf = ({ spec }: Decoded<Service>): string => spec?.type ?? "";
export const portsOf = ({ spec }: Decoded<Service>): readonly Decoded<ServicePort>[] =>
  spec?.ports ?? [];
export const clusterIpsOf = ({ spec }: Decoded<Service>): readonly string[] =>
  spec?.clusterIPs ?? [];
export const familiesOf = ({ spec }: Decoded<Service>): NonNullable<ServiceSpec["ipFamilies"]> =>
  spec?.ipFamilies ?? [];
export const policyOf = ({ spec }: Decoded<Service>): IPFamilyPolicy | "" =>
  spec?.ipFamilyPolicy ?? "";

/** `clusterIPs` is `["None"]`. */
export const isHeadless = (service: Decoded<Service>): boolean =>
  clusterIpsOf(service).length === 1 && clusterIpsOf(service)[0] === "None";
export const needsClusterIp = (service: Decoded<Service>): boolean =>
  typeOf(service) !== "ExternalName";
export const needsNodePorts = (service: Decoded<Service>): boolean =>
  typeOf(service) === "NodePort" || typeOf(service) === "LoadBalancer";
/** Whether ports without a node port get one. */
export const shouldAllocateNodePorts = (service: Decoded<Service>): boolean =>
  typeOf(service) === "NodePort" ||
  (typeOf(service) === "LoadBalancer" && service.spec?.allocateLoadBalancerNodePorts !== false);
export const needsHealthCheck = ({ spec }: Decoded<Service>): boolean =>
  spec?.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local";
export const isExternallyAccessible = (service: Decoded<Service>): boolean =>
  needsNodePorts(service) ||
  (typeOf(service) === "ClusterIP" && (service.spec?.externalIPs ?? []).length > 0);

/** Whether a field of the spec is equal in both; absent equals null. */
export const sameSpec = (
  a: Decoded<Service>,
  b: Decoded<Service>,
  field: keyof ServiceSpec,
): boolean => equalJson(specOf(a)[field] ?? null, specOf(b)[field] ?? null);
export const sameClusterIps = (a: Decoded<Service>, b: Decoded<Service>): boolean =>
  equalJson([...clusterIpsOf(a)], [...clusterIpsOf(b)]);
export const sameFamilies = (a: Decoded<Service>, b: Decoded<Service>): boolean =>
  equalJson([...familiesOf(a)], [...familiesOf(b)]);

/** The node ports without the one for health checks; one that TCP and UDP share counts once. */
export function nodePortsOf(service: Decoded<Service>): readonly number[] {
  return [...new Set(portsOf(service).flatMap(({ nodePort }) => (nodePort ? [nodePort] : [])))];
}

/** Everything that a service has taken from the pools. */
export function holdingsOf(service: Decoded<Service>): {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
} {
  const health = needsHealthCheck(service) ? specOf(service).healthCheckNodePort : 0;
  return {
    addresses: needsClusterIp(service)
      ? clusterIpsOf(service).filter((ip) => ip && ip !== "None")
      : [],
    ports: [...nodePortsOf(service), ...(health ? [health] : [])],
  };
}

/** Sets a field of the spec, or removes it without a value. */
export function setSpec<F extends keyof ServiceSpec>(
  service: Decoded<Service>,
  field: F,
  value?: Decoded<ServiceSpec>[F],
): void {
  const spec = specOf(service);
  if (isSet(value)) spec[field] = value;
  else delete spec[field];
}
