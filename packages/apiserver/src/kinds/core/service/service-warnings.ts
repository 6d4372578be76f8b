// What is said about services that are stored all the same.
// Upstream: k8s.io/kubernetes/pkg/api/service/warnings.go.
import type { JsonObject } from "homeostat/api";
import { cidrWarnings, ipWarnings } from "../../validation/ip-addresses.ts";
import { textMapAt, textsAt, stringAt } from "../../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../../apimachinery/meta/read-meta.ts";
import { clusterIpsOf, specOf, typeOf } from "./service-facts.ts";

/** All warnings, in upstream's order. */
export function serviceWarnings(service: JsonObject): string[] {
  const spec = specOf(service);
  const type = typeOf(service);
  const ip = stringAt(spec, "clusterIP");
  const externalIps = textsAt(spec, "externalIPs");
  const balancerIp = stringAt(spec, "loadBalancerIP");
  const isHeadless = type === "ClusterIP" && ip === "None";
  const warnings: string[] = [];
  if (
    textMapAt(metadataOf(service), "annotations")["service.kubernetes.io/topology-aware-hints"] !==
    undefined
  )
    warnings.push(
      "annotation service.kubernetes.io/topology-aware-hints is deprecated, please use service.kubernetes.io/topology-mode instead",
    );
  if (ip && ip !== "None")
    clusterIpsOf(service).forEach((each, i) =>
      warnings.push(...ipWarnings(each, `spec.clusterIPs[${i}]`)),
    );
  if (isHeadless && balancerIp)
    warnings.push("spec.loadBalancerIP is ignored for headless services");
  if (isHeadless && externalIps.length)
    warnings.push("spec.externalIPs is ignored for headless services");
  if (isHeadless && stringAt(spec, "sessionAffinity") !== "None")
    warnings.push("spec.SessionAffinity is ignored for headless services");
  externalIps.forEach((each, i) => warnings.push(...ipWarnings(each, `spec.externalIPs[${i}]`)));
  if (externalIps.length && !isHeadless && type !== "ExternalName")
    warnings.push(
      "spec.externalIPs is deprecated and may no longer be implemented in some clusters",
    );
  if (balancerIp) warnings.push(...ipWarnings(balancerIp, "spec.loadBalancerIP"));
  textsAt(spec, "loadBalancerSourceRanges").forEach((range, i) =>
    warnings.push(...cidrWarnings(range, `spec.loadBalancerSourceRanges[${i}]`)),
  );
  if (type === "ExternalName" && externalIps.length)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (type !== "ExternalName" && stringAt(spec, "externalName"))
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (stringAt(spec, "trafficDistribution") === "PreferClose")
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
