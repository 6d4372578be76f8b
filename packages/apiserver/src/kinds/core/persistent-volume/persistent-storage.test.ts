import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../../open-kind.suite.ts";

const volume = (source: object, more: object = {}): object => ({
  metadata: { name: "v", ...more },
  spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], ...source },
});
const errorsOf = (source: object, more: object = {}): readonly string[] =>
  openKind("", "persistentvolumes").create(volume(source, more)).errors;

test("secrets of a volume have a namespace of their own", () => {
  assert.deepEqual(errorsOf({ cinder: { volumeID: "c", secretRef: { name: "s" } } }), [
    "spec.cinder.secretRef.namespace: Required value",
  ]);
  assert.deepEqual(
    errorsOf({ azureFile: { secretName: "a", shareName: "b", secretNamespace: "" } }),
    ["spec.azureFile.secretNamespace: Required value"],
  );
  assert.deepEqual(
    errorsOf({
      csi: {
        driver: "d",
        volumeHandle: "h",
        nodePublishSecretRef: { name: "s", namespace: "" },
        nodeStageSecretRef: {},
      },
    }),
    ["spec.csi.nodePublishSecretRef.namespace: Required value"],
  );
});

test("a malformed iSCSI name is refused without listing the forms", () => {
  assert.deepEqual(errorsOf({ iscsi: { targetPortal: "p", iqn: "x", lun: 1, secretRef: {} } }), [
    'spec.iscsi.iqn: Invalid value: "x": must be valid format',
    "spec.iscsi.secretRef.name: Required value",
  ]);
});

test("a disk has the defaults of its source, and is checked with them", () => {
  assert.deepEqual(errorsOf({ azureDisk: { diskName: "d", diskURI: "u" } }), [
    'spec.azureDisk.diskURI: Unsupported value: "u": supported values: "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"',
  ]);
});

test("a negative size is shown as a number first, as text then", () => {
  assert.deepEqual(errorsOf({ capacity: { storage: "-1Ki" }, hostPath: { path: "/x" } }), [
    "spec.capacity[storage]: Invalid value: -1024: must be a valid resource quantity",
    'spec.capacity[storage]: Invalid value: "-1Ki": must be greater than zero',
  ]);
});

test("options for mounting are for sources that are mounted by the node", () => {
  const annotated = { annotations: { "volume.beta.kubernetes.io/mount-options": "ro" } };
  assert.deepEqual(errorsOf({ nfs: { server: "s", path: "/" } }, annotated), []);
  assert.deepEqual(errorsOf({ hostPath: { path: "/x" } }, annotated), [
    "metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type",
  ]);
});

test("a resizer speaks of storage, in states that exist", () => {
  const claims = openKind("", "persistentvolumeclaims");
  const body = (status: object): object => ({
    metadata: { name: "c", namespace: "n" },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    status,
  });
  const { object } = claims.create(body({}));
  const allocated = {
    allocatedResources: { cpu: "1", storage: "-1" },
    allocatedResourceStatuses: { storage: "Done" },
    capacity: { storage: "-1" },
  };
  assert.deepEqual(claims.update(object, body(allocated), "status").errors, [
    "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
    'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    "status.allocatedResources[storage]: Invalid value: -1: must be a valid resource quantity",
  ]);
});

test("the key of a node affinity may change to the name that replaces it, or to none", () => {
  const volumes = openKind("", "persistentvolumes");
  const affine = (key: string): object =>
    volume({
      hostPath: { path: "/a" },
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [{ matchExpressions: [{ key, operator: "In", values: ["v"] }] }],
        },
      },
    });
  const isRefused = (before: string, after: string): boolean =>
    volumes
      .update(volumes.create(affine(before)).object, affine(after))
      .errors.some((error) => error.startsWith("nodeAffinity: "));
  assert.equal(isRefused("beta.kubernetes.io/os", "kubernetes.io/os"), false);
  assert.equal(isRefused("beta.kubernetes.io/os", ""), true);
  assert.equal(isRefused("k", ""), false);
  assert.equal(isRefused("k", "l"), true);
});
