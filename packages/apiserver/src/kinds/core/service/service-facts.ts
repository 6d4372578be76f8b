// What a service's fields mean: whether it is headless, and which of the finite things it needs.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/strategy.go,
// pkg/registry/core/service/storage/{storage,alloc}.go, pkg/api/service/util.go.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  isSet,
  itemsAt,
  numberAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";

export const specOf = (service: JsonObject): JsonObject => objectAt(service, "spec");
export const typeOf = (service: JsonObject): string => stringAt(specOf(service), "type");
export const portsOf = (service: JsonObject): readonly JsonObject[] =>
  itemsAt(specOf(service), "ports");
export const clusterIpsOf = (service: JsonObject): readonly string[] =>
  textsAt(specOf(service), "clusterIPs");
export const familiesOf = (service: JsonObject): readonly string[] =>
  textsAt(specOf(service), "ipFamilies");
export const policyOf = (service: JsonObject): string =>
  stringAt(specOf(service), "ipFamilyPolicy");

/** `clusterIPs` is None alone. */
export const isHeadless = (service: JsonObject): boolean =>
  clusterIpsOf(service).length === 1 && clusterIpsOf(service)[0] === "None";
export const needsClusterIp = (service: JsonObject): boolean => typeOf(service) !== "ExternalName";
export const usesNodePorts = (service: JsonObject): boolean =>
  typeOf(service) === "NodePort" || typeOf(service) === "LoadBalancer";
/** Whether ports without a number get one. */
export const wantsNodePorts = (service: JsonObject): boolean =>
  typeOf(service) === "NodePort" ||
  (typeOf(service) === "LoadBalancer" &&
    specOf(service)["allocateLoadBalancerNodePorts"] !== false);
export const needsHealthCheck = (service: JsonObject): boolean =>
  typeOf(service) === "LoadBalancer" &&
  stringAt(specOf(service), "externalTrafficPolicy") === "Local";
export const isExternallyAccessible = (service: JsonObject): boolean =>
  usesNodePorts(service) ||
  (typeOf(service) === "ClusterIP" && textsAt(specOf(service), "externalIPs").length > 0);

/** Whether a field of the spec is the same, absent and null being one. */
export const sameSpec = (a: JsonObject, b: JsonObject, field: string): boolean =>
  equalJson(valueAt(a, field), valueAt(b, field));
const valueAt = (service: JsonObject, field: string): Json => specOf(service)[field] ?? null;
export const sameClusterIps = (a: JsonObject, b: JsonObject): boolean =>
  equalJson([...clusterIpsOf(a)], [...clusterIpsOf(b)]);
export const sameFamilies = (a: JsonObject, b: JsonObject): boolean =>
  equalJson([...familiesOf(a)], [...familiesOf(b)]);

/**
 * Every node port of a service, that of its health check apart; a number that TCP and UDP share
 * counts once.
 */
export function nodePortsOf(service: JsonObject): readonly number[] {
  return [
    ...new Set(
      portsOf(service)
        .map((port) => numberAt(port, "nodePort"))
        .filter(Boolean),
    ),
  ];
}

/** Everything that a service has taken from the pools. */
export function holdingsOf(service: JsonObject): {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
} {
  const spec = specOf(service);
  const health = needsHealthCheck(service) ? numberAt(spec, "healthCheckNodePort") : 0;
  return {
    addresses: needsClusterIp(service)
      ? clusterIpsOf(service).filter((ip) => ip && ip !== "None")
      : [],
    ports: [...nodePortsOf(service), ...(health ? [health] : [])],
  };
}

/** Removes or sets a field of the spec. */
export function setSpec(service: JsonObject, field: string, value: Json | undefined): void {
  const spec = specOf(service);
  if (isSet(value)) spec[field] = value;
  else delete spec[field];
}
