// The usage of ResourceClaims: the object, and devices by class, the worst case where the claim
// leaves a choice. Extended resources backed by a class are not charged here.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/resource_claims.go.
import type { JsonObject } from "homeostat/api";
import { itemsAt, numberAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { addTo, type Counted, one, type Sums } from "./quota-amounts.ts";

const counted = "count/resourceclaims.resource.k8s.io";
const ofClass = ".deviceclass.resource.k8s.io/devices";
/**
 * The most devices that a claim may be allocated (`AllocationResultsMaxSize`), charged for mode
 * All.
 */
const mostDevices = 32;

export const isDeviceClaimResource = (name: string): boolean =>
  name === counted || name.endsWith(ofClass);

/** The usage of a claim, e.g. `gold.deviceclass.resource.k8s.io/devices`. */
export function deviceClaimUsage({ spec = {} }: Counted): Sums {
  const used: Sums = new Map([[counted, one]]);
  for (const request of itemsAt(objectAt(spec, "devices"), "requests")) {
    const worst = new Map<string, number>();
    for (const wanted of [objectAt(request, "exactly"), ...itemsAt(request, "firstAvailable")]) {
      const name = stringAt(wanted, "deviceClassName");
      if (name) worst.set(name, Math.max(worst.get(name) ?? 0, devicesOf(wanted)));
    }
    for (const [name, devices] of worst)
      addTo(used, `${name}${ofClass}`, { nano: BigInt(devices) * one.nano, format: "DecimalSI" });
  }
  return used;
}

function devicesOf(wanted: JsonObject): number {
  const mode = stringAt(wanted, "allocationMode");
  if (mode === "All") return mostDevices;
  return mode === "ExactCount" ? numberAt(wanted, "count") : 0;
}
