// The quality of service class of a pod, from the resources of its containers or of the pod.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/qos/qos.go.
import type { Decoded } from "homeostat/api";
import type { PodQOSClass, PodSpec, ResourceRequirements } from "homeostat/k8s/core/v1";
import { hasItems } from "../../../apimachinery/meta/read-fields.ts";
import { nanoOf } from "./resource-lists.ts";

const computed = ["cpu", "memory"] as const;

/** The class of a PodSpec. */
export function qosClassOf(spec: Decoded<PodSpec>): PodQOSClass {
  const own = spec.resources;
  const holders: readonly Decoded<ResourceRequirements>[] = own
    ? [own]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(
        (container) => container.resources ?? {},
      );
  const requests = sum(holders, "requests");
  const limits = sum(holders, "limits");
  if (!requests.size && !limits.size) return "BestEffort";
  const limited = holders.every(
    (holder) =>
      (own && !hasItems(own.limits)) ||
      computed.every((name) => nanoOf(holder.limits?.[name]) > 0n),
  );
  const equal =
    requests.size === limits.size &&
    [...requests].every(([name, amount]) => limits.get(name) === amount);
  return limited && equal ? "Guaranteed" : "Burstable";
}

function sum(
  holders: readonly Decoded<ResourceRequirements>[],
  bound: "requests" | "limits",
): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  for (const holder of holders) {
    for (const name of computed) {
      const amount = nanoOf(holder[bound]?.[name]);
      if (amount > 0n) total.set(name, (total.get(name) ?? 0n) + amount);
    }
  }
  return total;
}
