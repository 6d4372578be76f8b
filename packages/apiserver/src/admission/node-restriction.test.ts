import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { PluginServices } from "./admission-plugin.ts";
import { createNodeRestriction } from "./node-restriction.ts";
import { tryPlugin, type Wanted } from "./testdata/try-plugin.ts";

const user = { name: "system:node:w1", groups: ["system:nodes"] };
const mirror = { annotations: { "kubernetes.io/config.mirror": "x" } };
const owner = { apiVersion: "v1", kind: "Node", name: "w1", uid: "u1", controller: true };
const pods = [
  { metadata: { name: "own", namespace: "home", uid: "p1" }, spec: { nodeName: "w1" } },
  { metadata: { name: "other", namespace: "home", uid: "p2" }, spec: { nodeName: "w2" } },
];
const audience = {
  metadata: { name: "t", namespace: "home", uid: "p3" },
  spec: {
    nodeName: "w1",
    volumes: [
      { projected: { sources: [{ serviceAccountToken: { audience: "a" } }] } },
      { persistentVolumeClaim: { claimName: "c" } },
      { csi: { driver: "d" } },
    ],
  },
};
const stored = {
  nodes: [{ metadata: { name: "w1", uid: "u1" } }],
  pods: [...pods, audience],
  csidrivers: [{ metadata: { name: "d" }, spec: { tokenRequests: [{ audience: "b" }] } }],
};
const refusal = async (wanted: Wanted, services: Partial<PluginServices> = {}) =>
  (await tryPlugin(createNodeRestriction, { user, ...wanted }, stored, services)).refusal?.replace(
    /^.*? is forbidden: /,
    "",
  );

test("other users are not restricted, and a node has a name", async () => {
  const update = { operation: "UPDATE", name: "x", resource: "pods", object: {} } as const;
  assert.equal(
    await refusal({ ...update, user: { name: "ann", groups: ["system:nodes"] } }),
    undefined,
  );
  assert.equal(await refusal({ ...update, user: { ...user, groups: [] } }), undefined);
  assert.equal(
    await refusal({ ...update, user: { ...user, name: "system:node:" } }),
    'could not determine node from user "system:node:"',
  );
  assert.equal(await refusal({ ...update, resource: "configmaps" }), undefined);
});

test("a node creates mirrors of its own pods, and deletes and evicts them", async () => {
  const create = (metadata: JsonObject, spec: JsonObject = {}) =>
    refusal({
      object: { metadata: { name: "p", ...metadata }, spec: { nodeName: "w1", ...spec } },
    });
  const may = 'node "w1" can only create';
  const owned = { ...mirror, ownerReferences: [owner] };
  assert.equal(
    await create({}),
    `pod does not have "kubernetes.io/config.mirror" annotation, ${may} mirror pods`,
  );
  assert.equal(
    await create(owned, { nodeName: "w2" }),
    `${may} pods with spec.nodeName set to itself`,
  );
  assert.equal(await create(mirror), `${may} pods with an owner reference set to itself`);
  const others: readonly (readonly [JsonObject, string])[] = [
    [{ uid: "u2" }, "node w1 UID mismatch: expected u2 got u1"],
    [{ controller: false }, `${may} pods with a controller owner reference set to itself`],
    [
      { blockOwnerDeletion: true },
      'node "w1" must not set blockOwnerDeletion on an owner reference',
    ],
  ];
  for (const [change, message] of others)
    assert.equal(await create({ ...mirror, ownerReferences: [{ ...owner, ...change }] }), message);
  assert.equal(
    await create({ ...mirror, ownerReferences: [owner, owner] }),
    `${may} pods with a single owner reference set to itself`,
  );
  const secret = { volumes: [{ secret: { secretName: "s" } }] };
  assert.equal(await create(owned, secret), 'node "w1" can not create pods that reference secrets');
  const token = { volumes: [{ projected: { sources: [{ serviceAccountToken: {} }] } }] };
  assert.equal(
    await create(owned, token),
    'node "w1" can not create pods that reference serviceaccounts (via projected volumes)',
  );
  assert.equal(await create(owned), undefined);
  const remove = (name: string) => refusal({ operation: "DELETE", name, object: undefined });
  assert.equal(await remove("own"), undefined);
  assert.equal(
    await remove("other"),
    'node "w1" can only delete pods with spec.nodeName set to itself',
  );
  assert.equal(await remove("none"), 'pod "none" not found');
  const evict = (name: string) => refusal({ subresource: "eviction", name, object: {} });
  assert.equal(await evict("own"), undefined);
  assert.equal(
    await evict("other"),
    "node w1 can only evict pods with spec.nodeName set to itself",
  );
  assert.match(
    (await refusal({ subresource: "binding", object: {} }))!,
    /^unexpected pod subresource/,
  );
});

test("a node reports the status of its own pods, and no labels", async () => {
  const report = (old: JsonObject, object: JsonObject) =>
    refusal({ operation: "UPDATE", subresource: "status", name: "p", old, object });
  const own = { spec: { nodeName: "w1" } };
  assert.equal(await report(own, { ...own, status: { phase: "Running" } }), undefined);
  assert.match((await report({}, {}))!, /only update pod status for pods with spec.nodeName/);
  assert.equal(
    await report(own, { ...own, metadata: { labels: { a: "b" } } }),
    'node "w1" cannot update labels through pod status',
  );
  assert.match(
    (await report(own, { ...own, status: { resourceClaimStatuses: [{ name: "a" }] } }))!,
    /cannot update resource claim statues/,
  );
});

test("a node changes itself, without taints, owners and foreign labels", async () => {
  const of = (wanted: Wanted) => refusal({ resource: "nodes", name: "w1", ...wanted });
  const create = (label: string) =>
    of({ object: { metadata: { name: "w1", labels: { [label]: "x" } } } });
  assert.equal(
    await of({ name: "w2", object: {} }),
    'node "w1" is not allowed to modify node "w2"',
  );
  for (const label of ["a", "kubernetes.io/hostname", "x.kubelet.kubernetes.io/a"])
    assert.equal(await create(label), undefined);
  for (const label of ["kubernetes.io/a", "a.node-restriction.kubernetes.io/b", "x.k8s.io/y"])
    assert.equal(
      await create(label),
      `node "w1" is not allowed to set the following labels: ${label}`,
    );
  const update = (object: JsonObject) => of({ operation: "UPDATE", old: {}, object });
  assert.equal(await update({ spec: { taints: [] } }), undefined);
  assert.match(
    (await update({ spec: { taints: [{ key: "a" }] } }))!,
    /not allowed to modify taints/,
  );
  assert.match(
    (await update({ metadata: { ownerReferences: [owner] } }))!,
    /not allowed to modify ownerReferences/,
  );
  assert.equal(
    await update({ metadata: { labels: { "kubernetes.io/a": "b" } } }),
    "is not allowed to modify labels: kubernetes.io/a",
  );
});

test("leases, CSINodes and slices are a node's own", async () => {
  const lease = { group: "coordination.k8s.io", resource: "leases" };
  const own = { object: { metadata: { name: "w1" } } };
  assert.match(
    (await refusal({ ...lease, ...own }))!,
    /^can only access leases in the "kube-node-lease"/,
  );
  const inLeases = { ...lease, namespace: "kube-node-lease" };
  assert.equal(await refusal({ ...inLeases, ...own }), undefined);
  assert.match(
    (await refusal({ ...inLeases, operation: "DELETE", name: "w2" }))!,
    /^can only access node lease with the same name/,
  );
  const csi = {
    group: "storage.k8s.io",
    resource: "csinodes",
    object: { metadata: { name: "w2" } },
  };
  assert.match((await refusal(csi))!, /^can only access CSINode with the same name/);
  const slices = { group: "resource.k8s.io", resource: "resourceslices" };
  const slice = (nodeName: string) => ({ spec: { nodeName } });
  assert.equal(await refusal({ ...slices, object: slice("w1") }), undefined);
  assert.match(
    (await refusal({ ...slices, object: slice("w2") }))!,
    /^can only create ResourceSlice/,
  );
  const removal = { ...slices, operation: "DELETE", old: slice("w2") } as const;
  assert.match((await refusal(removal))!, /^can only delete ResourceSlice/);
});

test("a node reports how far its volumes are", async () => {
  const claims = { resource: "persistentvolumeclaims", operation: "UPDATE", name: "c" } as const;
  const report = (object: JsonObject) =>
    refusal({ ...claims, subresource: "status", old: { spec: {} }, object });
  assert.equal(await refusal({ ...claims, object: {} }), "may only update PVC status");
  assert.equal(await report({ spec: {}, status: { capacity: { storage: "1Gi" } } }), undefined);
  assert.equal(
    await report({ spec: {}, status: { phase: "Lost" } }),
    `node "w1" is not allowed to update fields other than status.quantity and status.conditions: @@ -1,5 +1,7 @@
 {
  "metadata": {},
  "spec": {},
- "status": {}
+ "status": {
+  "phase": "Lost"
+ }
 }
`,
  );
});

test("a node requests tokens for its pods and the audiences of their volumes", async () => {
  const request = (spec: JsonObject, services: Partial<PluginServices> = {}) =>
    refusal({ resource: "serviceaccounts", subresource: "token", object: { spec } }, services);
  const bound = (name: string, uid: string) => ({
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
  });
  assert.equal(await request({}), "node requested token not bound to a pod");
  assert.equal(
    await request(bound("t", "")),
    "node requested token with a pod binding without a uid",
  );
  assert.match((await request(bound("t", "x")))!, /^the UID in the bound object reference \(x\)/);
  assert.match((await request(bound("other", "p2")))!, /scheduled on a different node$/);
  const own = bound("t", "p3");
  const deny = { authorizer: () => ({ allowed: false, reason: "" }) };
  assert.equal(
    await request({ ...own, audiences: ["a", "b"] }),
    "node may only request 0 or 1 audiences",
  );
  assert.equal(await request({ ...own, audiences: ["a"] }, deny), undefined);
  assert.equal(await request({ ...own, audiences: ["b"] }, deny), undefined);
  assert.equal(
    await request({ ...own, audiences: ["c"] }),
    'error validating audience "c": persistentvolumeclaim "c" not found',
  );
  const bare = bound("own", "p1");
  assert.equal(
    await request({ ...bare, audiences: ["c"] }, deny),
    'audience "c" not found in pod spec volume, system:node:w1 is not authorized to request tokens for this audience',
  );
  assert.equal(await request({ ...bare, audiences: ["c"] }), undefined);
});
