// The usage of ResourceClaims: the object and its devices by class. Alternatives are charged at
// their worst case.
// Upstream: k8s.io/kubernetes/pkg/quota/v1/evaluator/core/resource_claims.go.
import type { Decoded } from "homeostat/api";
import type {
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
} from "homeostat/k8s/resource/v1";
import { addTo, type ResourceSum } from "../resources/resource-lists.ts";
import { one } from "./quota-amounts.ts";

const counted = "count/resourceclaims.resource.k8s.io";
const ofClass = ".deviceclass.resource.k8s.io/devices";
/** `AllocationResultsMaxSize`: the most devices of a claim, charged for allocation mode All. */
const maxDevices = 32;

export const isDeviceClaimResource = (name: string): boolean =>
  name === counted || name.endsWith(ofClass);

/** `gold` of `gold.deviceclass.resource.k8s.io/devices`; "" for other names. */
export const deviceClassOf = (name: string): string =>
  name.endsWith(ofClass) ? name.slice(0, -ofClass.length) : "";

/** The usage of a claim, e.g. `gold.deviceclass.resource.k8s.io/devices`. */
export function deviceClaimUsage({ spec }: Decoded<ResourceClaim>): ResourceSum {
  const used: ResourceSum = new Map([[counted, one]]);
  for (const request of spec?.devices?.requests ?? []) {
    const alternatives = [request.exactly ?? {}, ...(request.firstAvailable ?? [])];
    const worst = new Map<string, number>();
    for (const alternative of alternatives) {
      const name = alternative.deviceClassName;
      if (name) worst.set(name, Math.max(worst.get(name) ?? 0, devicesOf(alternative)));
    }
    for (const [name, devices] of worst)
      addTo(used, `${name}${ofClass}`, { nano: BigInt(devices) * one.nano, format: "DecimalSI" });
  }
  return used;
}

function devicesOf({
  allocationMode: mode,
  count,
}: Decoded<ExactDeviceRequest> | Decoded<DeviceSubRequest>): number {
  if (mode === "All") return maxDevices;
  return mode === "ExactCount" ? Number(count ?? 0) : 0;
}
