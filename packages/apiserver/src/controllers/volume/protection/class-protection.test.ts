import assert from "node:assert/strict";
import { test } from "node:test";
import { classNames } from "./class-protection.ts";

const user = {
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
  assert.deepEqual(classNames(user), []);
  assert.deepEqual(
    classNames({
      ...user,
      spec: { volumeAttributesClassName: "gold" },
      status: { currentVolumeAttributesClassName: "", modifyVolumeStatus: {} },
    }),
    ["gold"],
  );
  const status = {
    currentVolumeAttributesClassName: "silver",
    modifyVolumeStatus: { targetVolumeAttributesClassName: "gold" },
  };
  assert.deepEqual(classNames({ ...user, spec: { volumeAttributesClassName: "gold" }, status }), [
    "gold",
    "silver",
  ]);
});
