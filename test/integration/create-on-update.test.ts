// A write that creates takes the right to create, also when it is an apply or an update.
// Upstream: apiserver/pkg/endpoints/handlers/update.go (withAuthorization).
import assert from "node:assert/strict";
import { test } from "node:test";
import { isForbidden } from "homeostat/api";
import type { Client } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Role, RoleBinding } from "homeostat/k8s/rbac/v1";
import { serverKinds, withServer } from "../fixtures/with-server.ts";

/** Lets a user do this with ConfigMaps and Leases. */
async function allow(admin: Client, user: string, verbs: readonly string[]): Promise<void> {
  const apiGroup = "rbac.authorization.k8s.io";
  const rules = [
    { apiGroups: [""], resources: ["configmaps"], verbs: [...verbs] },
    { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: [...verbs] },
  ];
  await admin.create(Role, Role(user, { rules }));
  const roleRef = { apiGroup, kind: "Role", name: user };
  const subjects = [{ apiGroup, kind: "User", name: user }];
  await admin.create(RoleBinding, RoleBinding(user, { roleRef, subjects }));
}

async function refusalOf(write: Promise<unknown>) {
  const error: unknown = await write.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(isForbidden(error), String(error));
  const { code, message } = error.status;
  return { code, message };
}

for (const what of serverKinds())
  test(`a write that creates takes the right to create: ${what}`, async () => {
    await withServer(what, async (server) => {
      const admin = await server.client();
      const as = (user: string): Client => admin.with({ impersonate: { user } });
      const writer = `writer-${admin.namespace}`;
      const creator = `creator-${admin.namespace}`;
      await allow(admin, writer, ["patch", "update"]);
      await allow(admin, creator, ["patch", "update", "create"]);
      const map = ConfigMap("map", { data: { a: "b" } });
      const lease = Lease("lease", { spec: { holderIdentity: "x" } });
      const place = `in the namespace "${admin.namespace}"`;
      const refused = (thing: string, resource: string, group: string) => ({
        code: 403,
        message: `${thing} is forbidden: User "${writer}" cannot create resource "${resource}" in API group "${group}" ${place}`,
      });
      assert.deepEqual(
        await refusalOf(as(writer).apply(ConfigMap, map)),
        refused('configmaps "map"', "configmaps", ""),
      );
      const group = "coordination.k8s.io";
      assert.deepEqual(
        await refusalOf(as(writer).update(Lease, lease)),
        refused(`leases.${group} "lease"`, "leases", group),
      );
      await as(creator).update(Lease, lease);
      await as(creator).apply(ConfigMap, map);
      await as(writer).apply(ConfigMap, ConfigMap("map", { data: { a: "c" } }), { force: true });
    });
  });
