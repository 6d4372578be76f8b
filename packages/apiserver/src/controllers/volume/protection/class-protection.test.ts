import assert from "node:assert/strict";
import { test } from "node:test";
import { classesOfClaim } from "./class-protection.ts";

const user = {
  spec: {},
  status: {},
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "c",
    uid: "u",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};

test("a claim holds the class it wants, the one it has, and the one it is being changed to", () => {
  assert.deepEqual(classesOfClaim(user), []);
  assert.deepEqual(
    classesOfClaim({
      ...user,
      spec: { volumeAttributesClassName: "gold" },
      status: { currentVolumeAttributesClassName: "", modifyVolumeStatus: { status: "Pending" } },
    }),
    ["gold"],
  );
  const status = {
    currentVolumeAttributesClassName: "silver",
    modifyVolumeStatus: { status: "Pending" as const, targetVolumeAttributesClassName: "gold" },
  };
  assert.deepEqual(
    classesOfClaim({ ...user, spec: { volumeAttributesClassName: "gold" }, status }),
    ["gold", "silver"],
  );
});
