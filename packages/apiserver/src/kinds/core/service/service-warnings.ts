// Warnings about services.
// Upstream: k8s.io/kubernetes/pkg/api/service/warnings.go.
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import { cidrWarnings, ipWarnings } from "../../validation/ip-addresses.ts";
import { clusterIpsOf, specOf, typeOf } from "./service-fields.ts";

/** All warnings, in upstream's order. */
export function serviceWarnings(service: Decoded<Service>): string[] {
  const spec = specOf(service);
  const type = typeOf(service);
  const ip = spec.clusterIP ?? "";
  const externalIps = spec.externalIPs ?? [];
  const loadBalancerIp = spec.loadBalancerIP ?? "";
  const isHeadless = type === "ClusterIP" && ip === "None";
  const warnings: string[] = [];
  if (service.metadata?.annotations?.["service.kubernetes.io/topology-aware-hints"] !== undefined)
    warnings.push(
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
    );
  if (ip && ip !== "None")
    clusterIpsOf(service).forEach((each, i) =>
      warnings.push(...ipWarnings(each, `spec.clusterIPs[${i}]`)),
    );
  if (isHeadless && loadBalancerIp)
    warnings.push("spec.loadBalancerIP is ignored for headless services");
  if (isHeadless && externalIps.length)
    warnings.push("spec.externalIPs is ignored for headless services");
  if (isHeadless && spec.sessionAffinity !== "None")
    warnings.push("spec.SessionAffinity is ignored for headless services");
  externalIps.forEach((each, i) => warnings.push(...ipWarnings(each, `spec.externalIPs[${i}]`)));
  if (externalIps.length && !isHeadless && type !== "ExternalName")
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  if (loadBalancerIp) warnings.push(...ipWarnings(loadBalancerIp, "spec.loadBalancerIP"));
  (spec.loadBalancerSourceRanges ?? []).forEach((range, i) =>
    warnings.push(...cidrWarnings(range, `spec.loadBalancerSourceRanges[${i}]`)),
  );
  if (type === "ExternalName" && externalIps.length)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== "ExternalName" && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
