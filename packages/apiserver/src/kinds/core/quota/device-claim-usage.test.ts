import assert from "node:assert/strict";
import { test } from "node:test";
import { formatQuantity } from "../../../apimachinery/values/quantity.ts";
import { deviceClaimUsage, isDeviceClaimResource } from "./device-claim-usage.ts";

const metadata = {
  name: "c",
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const usage = (...requests: object[]) =>
  Object.fromEntries(
    [
      ...deviceClaimUsage({
        apiVersion: "resource.k8s.io/v1",
        kind: "ResourceClaim",
        metadata,
        spec: { devices: { requests } } as never,
      }),
    ].map(([name, amount]) => [name, formatQuantity(amount)]),
  );
const gold = "gold.deviceclass.resource.k8s.io/devices";
const counted = "count/resourceclaims.resource.k8s.io";

test("a claim is counted, and its devices by class", () => {
  assert.deepEqual(usage(), { [counted]: "1" });
  const two = {
    name: "a",
    exactly: { deviceClassName: "gold", allocationMode: "ExactCount", count: 2 },
  };
  assert.deepEqual(usage(two, { ...two, name: "b" }), { [counted]: "1", [gold]: "4" });
  assert.deepEqual(
    usage({ name: "a", exactly: { deviceClassName: "gold", allocationMode: "All" } }),
    { [counted]: "1", [gold]: "32" },
  );
});

test("of a choice the worst case of each class counts", () => {
  const option = (deviceClassName: string, count: number) => ({
    name: `${deviceClassName}${count}`,
    deviceClassName,
    allocationMode: "ExactCount",
    count,
  });
  assert.deepEqual(
    usage({ name: "a", firstAvailable: [option("gold", 1), option("gold", 3), option("tin", 2)] }),
    { [counted]: "1", [gold]: "3", "tin.deviceclass.resource.k8s.io/devices": "2" },
  );
});

test("quotas of claims are known by their names", () => {
  assert.deepEqual([counted, gold, "count/pods", "requests.cpu"].map(isDeviceClaimResource), [
    true,
    true,
    false,
    false,
  ]);
});
