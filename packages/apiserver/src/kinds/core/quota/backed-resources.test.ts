import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import type { ResourceClaim } from "homeostat/k8s/resource/v1";
import { formatQuantity } from "../../../apimachinery/values/quantity.ts";
import { claimedUsage, type ClaimSurroundings, isClaimedResource } from "./backed-resources.ts";

const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "u", controller: true };
const claim = (name: string, metadata: object = {}): Decoded<ResourceClaim> =>
  ({
    metadata: {
      name,
      namespace: "n",
      creationTimestamp: "2026-01-01T00:00:00Z",
      annotations: { "resource.kubernetes.io/extended-resource-claim": "true" },
      ownerReferences: [owner],
      ...metadata,
    },
    spec: {
      devices: {
        requests: [
          {
            name: "r",
            exactly: { deviceClassName: "gold", allocationMode: "ExactCount", count: 3 },
          },
        ],
      },
    },
  }) as Decoded<ResourceClaim>;
const pod = (status: object = {}): Decoded<Pod> =>
  ({
    metadata: { name: "p", namespace: "n", uid: "u" },
    spec: { containers: [{ name: "c", resources: { requests: { "example.com/gpu": "2" } } }] },
    status,
  }) as unknown as Decoded<Pod>;
const around = (more: Partial<ClaimSurroundings> = {}): ClaimSurroundings => ({
  classes: () => [
    { metadata: { name: "gold" }, spec: { extendedResourceName: "example.com/gpu" } },
  ],
  pod: () => pod(),
  claims: () => [],
  ...more,
});
const implicit = "requests.deviceclass.resource.kubernetes.io/gold";
const explicit = "requests.example.com/gpu";
const amounts = (object: Decoded<ResourceClaim>, given: ClaimSurroundings) => {
  const used = claimedUsage(object, 0, given);
  return [implicit, explicit].map((name) => used.has(name) && formatQuantity(used.get(name)!));
};

test("quotas limit claims by the names of extended resources that a class backs", () => {
  const isClaimed = (name: string) => isClaimedResource(name, around());
  assert.deepEqual([implicit, explicit, "count/resourceclaims.resource.k8s.io"].map(isClaimed), [
    true,
    true,
    true,
  ]);
  const others = [`${implicit}er`, "requests.example.com/other", "requests.cpu", "example.com/gpu"];
  assert.deepEqual(others.map(isClaimed), [false, false, false, false]);
});

test("a claim uses them without what its pod is charged for", () => {
  const own = { extendedResourceClaimStatus: { resourceClaimName: "c" } };
  const named = around({ pod: () => pod(own) });
  assert.deepEqual(amounts(claim("c"), named), ["3", "1"]);
  assert.deepEqual(amounts(claim("other"), named), ["3", "3"]);
  assert.deepEqual(amounts(claim("c"), around()), ["3", "1"]);
  assert.deepEqual(amounts(claim("c"), around({ pod: () => undefined })), ["3", "3"]);
  assert.deepEqual(amounts(claim("c", { annotations: {} }), around()), ["3", "3"]);
  assert.deepEqual(amounts(claim("c", { ownerReferences: [] }), around()), ["3", "3"]);
  assert.deepEqual(amounts(claim("c"), around({ classes: () => [] })), ["3", false]);
});

test("of the claims of a pod that names none the earliest is its own", () => {
  const all = [claim("a"), claim("b"), claim("z", { creationTimestamp: "2025-01-01T00:00:00Z" })];
  const given = around({ claims: () => all });
  assert.deepEqual(
    all.map((each) => amounts(each, given)),
    [
      ["3", "3"],
      ["3", "3"],
      ["3", "1"],
    ],
  );
  const two = around({ claims: () => all.slice(0, 2) });
  assert.deepEqual(amounts(all[0]!, two), ["3", "1"]);
  assert.deepEqual(amounts(all[1]!, two), ["3", "3"]);
});
