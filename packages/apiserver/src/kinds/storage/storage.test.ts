import assert from "node:assert/strict";
import { test } from "node:test";
import { openKind } from "../open-kind.suite.ts";

const group = "storage.k8s.io";

test("a storage class has defaults and is immutable", () => {
  const classes = openKind(group, "storageclasses");
  const { object, errors } = classes.create({ metadata: { name: "c" }, provisioner: "x.io/y" });
  assert.deepEqual(
    [object["reclaimPolicy"], object["volumeBindingMode"], errors],
    ["Delete", "Immediate", []],
  );
  assert.deepEqual(
    classes.update(object, {
      metadata: { name: "c" },
      provisioner: "x.io/z",
      volumeBindingMode: "Later",
    }).errors,
    [
      'volumeBindingMode: Unsupported value: "Later": supported values: "Immediate", "WaitForFirstConsumer"',
      'provisioner: Invalid value: "x.io/z": field is immutable',
      'volumeBindingMode: Invalid value: "Later": field is immutable',
    ],
  );
});

test("topologies must be unique", () => {
  const term = {
    matchLabelExpressions: [{ key: "failure-domain.beta.kubernetes.io/zone", values: ["a"] }],
  };
  const { errors, warnings } = openKind(group, "storageclasses").create({
    metadata: { name: "c" },
    provisioner: "p",
    allowedTopologies: [term, term],
  });
  assert.deepEqual(errors, ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""']);
  assert.deepEqual(warnings, []);
});

test("a driver keeps how it attaches", () => {
  const drivers = openKind(group, "csidrivers");
  const { object } = drivers.create({ metadata: { name: "d" }, spec: {} });
  assert.deepEqual(
    drivers.update(object, {
      metadata: { name: "d" },
      spec: { attachRequired: false, tokenRequests: [{ audience: "a" }, { audience: "a" }] },
    }).errors,
    [
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      "spec.attachedRequired: Invalid value: false: field is immutable",
    ],
  );
});

test("an attachment is of one volume, to one node, for good", () => {
  const attachments = openKind(group, "volumeattachments");
  const body = (nodeName: string): object => ({
    metadata: { name: "a" },
    spec: { attacher: "x.io", nodeName, source: { persistentVolumeName: "v" } },
  });
  const { object, errors } = attachments.create(body("n"));
  assert.deepEqual([errors, object["status"]], [[], { attached: false }]);
  assert.deepEqual(attachments.update(object, body("m")).errors, [
    'spec: Invalid value: {"Attacher":"x.io","Source":{"PersistentVolumeName":"v","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
  ]);
});

test("the name of a node's driver is immutable, its capacity is not", () => {
  const nodes = openKind(group, "csinodes");
  const body = (nodeID: string, count: number): object => ({
    metadata: { name: "n" },
    spec: { drivers: [{ name: "x.io", nodeID, topologyKeys: null, allocatable: { count } }] },
  });
  const { object } = nodes.create(body("i", 1));
  assert.deepEqual(nodes.update(object, body("i", 2)).errors, []);
  assert.deepEqual(nodes.update(object, body("j", 1)).errors, [
    'spec.drivers: Invalid value: {"Name":"x.io","NodeID":"j","TopologyKeys":null,"Allocatable":null}: field is immutable',
  ]);
});

test("an inline volume of an attachment has a driver", () => {
  const spec = {
    attacher: "x.io",
    nodeName: "n",
    source: {
      inlineVolumeSpec: {
        capacity: { storage: "1" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "c",
        hostPath: { path: "/x" },
      },
    },
  };
  assert.deepEqual(
    openKind(group, "volumeattachments").create({ metadata: { name: "a" }, spec }).errors,
    [
      "spec.source.inlineVolumeSpec.capacity: Forbidden: may not be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.csi: Required value: has to be specified in the context of inline volumes",
      "spec.source.inlineVolumeSpec.storageClassName: Forbidden: may not be specified in the context of inline volumes",
    ],
  );
});

test("an empty topology term may stay", () => {
  const { errors } = openKind(group, "storageclasses").create({
    metadata: { name: "c" },
    provisioner: "p",
    allowedTopologies: [{}],
  });
  assert.deepEqual(errors, ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""']);
});
