import assert from "node:assert/strict";
import { test } from "node:test";
import {
  claimNames,
  releasesClaims,
  usesClaim,
} from "../../../component-helpers/storage/claim-use.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import { nextFinalizers } from "./protection-finalizers.ts";

const metadata = (name: string, rest: object = {}) => ({
  name,
  namespace: "n",
  uid: `uid-${name}`,
  resourceVersion: "1",
  generation: 1,
  creationTimestamp: "2026-01-01T00:00:00Z",
  ...rest,
});
const pod = (
  volumes: readonly object[],
  {
    spec,
    meta,
    phase,
  }: { readonly spec?: object; readonly meta?: object; readonly phase?: string } = {},
): Pod =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: metadata("p", meta),
    spec: { containers: [], nodeName: "node", volumes, ...spec },
    status: { phase: phase ?? "Running" },
  }) as unknown as Pod;
const claim = (name: string, rest: object = {}) => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: metadata(name, rest),
});
const named = { name: "data", persistentVolumeClaim: { claimName: "c" } };
const own = { name: "scratch", ephemeral: {} };
const ownedByPod = {
  ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "uid-p", controller: true }],
};

test("a pod's claims are those of its volumes, with the pod's name in ephemeral ones", () => {
  assert.deepEqual(claimNames(pod([named, { name: "tmp", emptyDir: {} }, own])), [
    "c",
    "p-scratch",
  ]);
  assert.deepEqual(claimNames(pod([])), []);
});

test("a claim waits for scheduled pods, finished ones included", () => {
  assert.equal(usesClaim(pod([named]), claim("c")), true);
  assert.equal(usesClaim(pod([named], { phase: "Succeeded" }), claim("c")), true);
  assert.equal(usesClaim(pod([named]), claim("other")), false);
  assert.equal(usesClaim(pod([named], { spec: { nodeName: "" } }), claim("c")), false);
});

test("a claim of the pod's own waits only while the pod is its controller and not shut down", () => {
  assert.equal(usesClaim(pod([own]), claim("p-scratch", ownedByPod)), true);
  assert.equal(usesClaim(pod([own]), claim("p-scratch")), false);
  const going = { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 };
  assert.equal(usesClaim(pod([own], { meta: going }), claim("p-scratch", ownedByPod)), false);
  assert.equal(usesClaim(pod([named], { meta: going }), claim("c")), true);
});

test("unfinished pods on a node keep their claims", () => {
  assert.equal(releasesClaims(pod([named])), false);
  assert.equal(releasesClaims(pod([named], { phase: "Failed" })), true);
  assert.equal(releasesClaims(pod([named], { spec: { nodeName: "" } })), true);
});

test("a live object gets the finalizer, a deleted one loses it once unused", () => {
  const going = { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["mine", "x"] };
  assert.deepEqual(
    nextFinalizers(claim("c"), "x", () => true),
    ["x"],
  );
  assert.equal(
    nextFinalizers(claim("c", { finalizers: ["x"] }), "x", () => false),
    undefined,
  );
  assert.deepEqual(
    nextFinalizers(claim("c", going), "x", () => false),
    ["mine"],
  );
  assert.equal(
    nextFinalizers(claim("c", going), "x", () => true),
    undefined,
  );
  assert.equal(
    nextFinalizers(claim("c", { ...going, finalizers: ["mine"] }), "x", () => false),
    undefined,
  );
});
