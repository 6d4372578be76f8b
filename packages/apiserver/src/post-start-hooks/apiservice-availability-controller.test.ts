import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { obstacleOf, withAvailable } from "./apiservice-availability-controller.ts";

const apiService: JsonObject = {
  spec: { group: "example.com", version: "v1", service: { namespace: "ns", name: "s", port: 443 } },
};
const service = (more: JsonObject = {}): JsonObject => ({
  spec: {
    type: "ClusterIP",
    clusterIP: "10.0.0.9",
    ports: [{ name: "https", port: 443 }],
    ...more,
  },
});
const slice = (ready: boolean, port = "https"): JsonObject => ({
  endpoints: [{ conditions: { ready } }],
  ports: [{ name: port, port: 8443 }],
});

test("reports the first of several obstacles", () => {
  const verdict = (...given: readonly [JsonObject?, (readonly JsonObject[])?]): readonly string[] =>
    Object.values(obstacleOf(apiService, given[0], given[1] ?? []) ?? {});
  assert.deepEqual(verdict(), ["ServiceNotFound", 'service/s in "ns" is not present']);
  assert.deepEqual(verdict(service({ ports: [{ port: 80 }] })), [
    "ServicePortError",
    'service/s in "ns" is not listening on port 443',
  ]);
  assert.deepEqual(verdict(service()), [
    "EndpointsNotFound",
    'cannot find endpointslices for service/s in "ns"',
  ]);
  const missing = [
    "MissingEndpoints",
    'endpointslices for service/s in "ns" have no addresses with port name "https"',
  ];
  assert.deepEqual(verdict(service(), [slice(false)]), missing);
  assert.deepEqual(verdict(service(), [slice(true, "other")]), missing);
  assert.deepEqual(verdict(service(), [slice(true)]), []);
});

test("an unchanged condition keeps its time, and is not written again", () => {
  const verdict = { status: "False", reason: "ServiceNotFound", message: "m" } as const;
  const first = withAvailable([{ type: "Other", status: "True" }], verdict, "T1")!;
  assert.deepEqual(first, [
    { type: "Other", status: "True" },
    { type: "Available", lastTransitionTime: "T1", ...verdict },
  ]);
  assert.equal(withAvailable(first, verdict, "T2"), undefined);
  const changed = withAvailable(first, { ...verdict, reason: "ServicePortError" }, "T2")!;
  assert.deepEqual(
    [changed[1]?.["reason"], changed[1]?.["lastTransitionTime"]],
    ["ServicePortError", "T1"],
  );
});
