import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decoded, JsonObject } from "homeostat/api";
import type { PolicyRule, Subject } from "homeostat/k8s/rbac/v1";
import { createVirtualRuntime } from "homeostat/runtime";
import { isStream, wholeBody } from "../../apimachinery/handler.ts";
import { readServiceRanges } from "../../kinds/core/service/service-ranges.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { createControlPlane, type ControlPlaneOptions } from "../../server/control-plane.ts";
import { type BootstrapRole, reconcileRole } from "./reconcile-roles.ts";

const user = { name: "ann", groups: ["system:masters"] };

async function start(store: Store, options: Partial<ControlPlaneOptions> = {}) {
  const core = await createControlPlane({
    store,
    runtime: createVirtualRuntime(),
    tokens: new Map(),
    ...options,
  });
  const ask = async (method: string, path: string): Promise<JsonObject> => {
    const { body } = await core.handler({
      method,
      path,
      headers: {},
      body: new Uint8Array(),
      user,
    });
    if (isStream(body)) throw new Error(`${method} ${path}: expected one answer`);
    return JSON.parse(Buffer.from(wholeBody(body)).toString()) as JsonObject;
  };
  return { ask, close: () => core.close() };
}

test("a server has its own objects from the start", async () => {
  const { ask, close } = await start(createMemoryStore(), {
    serviceRanges: readServiceRanges({ addresses: "10.96.0.0/16" }),
    clientCa: "PEM",
  });
  const admin = await ask("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin");
  const metadata = admin["metadata"] as JsonObject;
  assert.match(String(metadata["uid"]), /^[0-9a-f-]{36}$/);
  assert.ok(Number(metadata["resourceVersion"]) > 0);
  assert.deepEqual(admin["rules"], [
    { verbs: ["*"], apiGroups: ["*"], resources: ["*"] },
    { verbs: ["*"], nonResourceURLs: ["*"] },
  ]);
  assert.equal(
    ((await ask("GET", "/api/v1/namespaces/default/services/kubernetes"))["spec"] as JsonObject)[
      "clusterIP"
    ],
    "10.96.0.1",
  );
  assert.deepEqual(
    (await ask("GET", "/apis/networking.k8s.io/v1/servicecidrs/kubernetes"))["spec"],
    { cidrs: ["10.96.0.0/16"] },
  );
  assert.deepEqual(
    (
      await ask(
        "GET",
        "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
      )
    )["data"],
    { "client-ca-file": "PEM" },
  );
  await close();
});

test("a restart restores missing objects, and leaves existing ones", async () => {
  const store = createMemoryStore();
  const first = await start(store);
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/view";
  const before = await first.ask("GET", "/api/v1/namespaces/kube-system");
  await first.ask("DELETE", path);
  await first.close();
  const second = await start(store);
  assert.equal((await second.ask("GET", path))["kind"], "ClusterRole");
  assert.deepEqual(await second.ask("GET", "/api/v1/namespaces/kube-system"), before);
  await second.close();
});

test("roles get their rules back, and keep added ones", () => {
  const role = (
    rules: readonly Decoded<PolicyRule>[],
    annotations: Record<string, string> = {},
  ): BootstrapRole => ({
    metadata: { name: "r", annotations },
    rules: [...rules],
  });
  const pods = { verbs: ["get", "list"], apiGroups: [""], resources: ["pods"] };
  const own = { verbs: ["get"], apiGroups: [""], resources: ["pods", "nodes"] };
  assert.deepEqual(reconcileRole(role([own]), role([pods]))?.rules, [
    own,
    { verbs: ["list"], apiGroups: [""], resources: ["pods"] },
  ]);
  assert.equal(
    reconcileRole(role([{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }]), role([pods])),
    undefined,
  );
  assert.equal(
    reconcileRole(
      role([], { "rbac.authorization.kubernetes.io/autoupdate": "false" }),
      role([pods]),
    ),
    undefined,
  );
  const path = { verbs: ["get"], nonResourceURLs: ["/healthz/*"] };
  assert.equal(
    reconcileRole(role([path]), role([{ verbs: ["get"], nonResourceURLs: ["/healthz/ping"] }])),
    undefined,
  );
});

test("bindings get their subjects back", () => {
  const group = { kind: "Group", name: "g" };
  const binding = (...subjects: readonly Decoded<Subject>[]): BootstrapRole => ({
    metadata: { name: "b" },
    subjects: [...subjects],
  });
  assert.deepEqual(reconcileRole(binding({ kind: "User", name: "u" }), binding(group))?.subjects, [
    { kind: "User", name: "u" },
    group,
  ]);
});
