// The quality of service class of a pod, from what its containers (or the pod itself) request.
// Upstream: k8s.io/kubernetes/pkg/apis/core/helper/qos/qos.go.
import type { JsonObject } from "homeostat/api";
import {
  hasItems,
  itemsAt,
  mutableAt,
  textMapAt,
  objectAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { nanoOf } from "../resources/resource-lists.ts";

type QosClass = "BestEffort" | "Burstable" | "Guaranteed";
const computed = ["cpu", "memory"] as const;

/** The class of a PodSpec. */
export function qosClassOf(spec: JsonObject): QosClass {
  const own = mutableAt(spec, "resources");
  const holders = own
    ? [own]
    : [...itemsAt(spec, "containers"), ...itemsAt(spec, "initContainers")].map((container) =>
        objectAt(container, "resources"),
      );
  const requests = sum(holders, "requests");
  const limits = sum(holders, "limits");
  if (!requests.size && !limits.size) return "BestEffort";
  const limited = holders.every(
    (holder) =>
      (own && !hasItems(own["limits"])) ||
      computed.every((name) => nanoOf(textMapAt(holder, "limits")[name]) > 0n),
  );
  const equal =
    requests.size === limits.size &&
    [...requests].every(([name, amount]) => limits.get(name) === amount);
  return limited && equal ? "Guaranteed" : "Burstable";
}

function sum(
  holders: readonly JsonObject[],
  bound: "requests" | "limits",
): ReadonlyMap<string, bigint> {
  const total = new Map<string, bigint>();
  for (const holder of holders) {
    for (const name of computed) {
      const amount = nanoOf(textMapAt(holder, bound)[name]);
      if (amount > 0n) total.set(name, (total.get(name) ?? 0n) + amount);
    }
  }
  return total;
}
