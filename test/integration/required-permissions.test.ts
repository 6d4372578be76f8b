// The rights that a manager's declarations ask for are those that it uses: none is refused, and
// none is granted in vain. The audit log of the server says what was used.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import {
  all,
  type Controller,
  createManager,
  defineController,
  defineResource,
  defineSignal,
  installDefinitions,
  type ManagerOptions,
  ref,
  requiredPermissions,
  silentLog,
} from "homeostat";
import { isForbidden } from "homeostat/api";
import type { Client } from "homeostat/client";
import { ConfigMap, Namespace, Secret } from "homeostat/k8s/core/v1";
import { ClusterRole } from "homeostat/k8s/rbac/v1";
import * as z from "zod";
import {
  assertExact,
  exact,
  grant,
  type JudgeOptions,
  judgeRights,
  heardServers,
  openHeardServer,
} from "../fixtures/rights.ts";
import { createOccasions, type Occasions, standBetween } from "../fixtures/stand-between.ts";
import type { ServerKind } from "../fixtures/with-server.ts";
import { until } from "../fixtures/until.ts";
import { untilRepeated } from "../fixtures/until-repeated.ts";

const Shop = defineResource({
  group: "rights.example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({ items: z.array(z.string().max(20)).max(5), key: z.string().max(20).optional() }),
  status: z.object({ items: z.int() }),
  conditions: ["Ready"],
});
const Region = defineResource({
  group: "rights.example.com",
  version: "v1",
  kind: "Region",
  scope: "Cluster",
  spec: z.object({ name: z.string().max(20) }),
});

const closing = defineSignal({
  name: "closing",
  on: Shop,
  carrier: { annotation: "rights.example.com/closing" },
  setBy: ["shops"],
  clearedBy: ["people"],
});

const shops = defineController(Shop, {
  name: "shops",
  owns: [ConfigMap, ClusterRole],
  refs: { key: ref(Secret, ({ spec }) => spec.key) },
  watches: { regions: all(Region) },
  signals: [closing],
  permissions: [{ kind: Namespace, verbs: ["get"] }],
  async reconcile(context) {
    const { object, refs, own, status, condition, client, recorder } = context;
    const { name, namespace } = object.metadata;
    await client.get(Namespace, namespace!);
    await own(
      ConfigMap,
      object.spec.items.map((item) => ConfigMap(`${name}-${item}`, { data: {} })),
    );
    await own(ClusterRole, [ClusterRole(`shop-${name}`, { rules: [] })]);
    if (object.spec.items.length === 1) await closing.set(context, object);
    status({ items: object.spec.items.length });
    condition("Ready", refs.key ? "True" : "False", "Checked");
    recorder.event("Normal", "Opened", `with ${object.spec.items.length} items`);
  },
});

const regions = defineController(Region, {
  async reconcile({ recorder }) {
    recorder.event("Normal", "Seen", "it exists");
  },
});

/** Creates, changes, prunes and deletes what the controllers care for; others interfere. */
async function live(admin: Client, namespace: string, occasions: Occasions): Promise<void> {
  const inNamespace = (name: string) => ({ name, namespace });
  interfere(admin, namespace, occasions);
  await admin.create(Region, Region("north", { name: "north" }));
  await admin.create(Secret, Secret(inNamespace("key"), { stringData: { a: "b" } }));
  await admin.create(Shop, Shop(inNamespace("corner"), { items: ["a", "b"], key: "key" }));
  await untilRepeated(admin, "owning ConfigMap");
  await admin.delete(ConfigMap, inNamespace("corner-a"));
  await untilRepeated(admin, "owning ClusterRole");
  await admin.delete(ClusterRole, "shop-corner");
  assert.deepEqual(occasions.left(), []);
  const count = async (items: number): Promise<boolean> =>
    (await admin.get(Shop, inNamespace("corner"))).status.items === items;
  await until(() => count(2));
  await admin.patch(ConfigMap, inNamespace("corner-a"), {
    type: "merge",
    body: { data: { by: "hand" } },
  });
  await admin.patch(Shop, inNamespace("corner"), {
    type: "merge",
    body: { spec: { items: ["a"] } },
  });
  await until(() => count(1));
  await admin.delete(Shop, inNamespace("corner"));
  await until(async () => (await admin.find(Shop, inNamespace("corner"))) === undefined);
  await until(async () => (await admin.find(ClusterRole, "shop-corner")) === undefined);
}

/** Somebody writes a moment before the operator does: it reads the object then. */
function interfere(admin: Client, namespace: string, { before }: Occasions): void {
  before(/^PATCH .*\/shops\/corner\?/, () =>
    admin.patch(
      Shop,
      { name: "corner", namespace },
      { type: "merge", body: { metadata: { labels: { by: "hand" } } } },
    ),
  );
  before(/^PATCH .*\/configmaps\/corner-a\?/, () =>
    admin.create(ConfigMap, ConfigMap({ name: "corner-a", namespace }, {})),
  );
  before(/^PATCH .*\/clusterroles\/shop-corner\?/, () =>
    admin.create(ClusterRole, ClusterRole("shop-corner", { rules: [] })),
  );
}

async function runsOnItsRights(
  t: TestContext,
  what: ServerKind,
  options: Pick<ManagerOptions, "namespace" | "namespaces" | "election" | "sharding"> & {
    readonly controllers: readonly Controller[];
  },
  judging?: JudgeOptions,
): Promise<ReturnType<typeof requiredPermissions>> {
  const { admin, client, events } = await openHeardServer(t, what);
  await installDefinitions(admin, [Shop, Region]);
  const permissions = requiredPermissions({ operator: "shop", ...options });
  await grant(admin, permissions);
  const occasions = createOccasions();
  standBetween(client.transport, occasions);
  const manager = createManager({ operator: "shop", client, log: silentLog, ...options });
  t.after(() => manager.stop());
  await manager.start();
  await live(admin, "default", occasions);
  await manager.stop();
  assertExact(permissions, events(), judging);
  return permissions;
}

for (const what of heardServers) {
  test(`a manager of all namespaces runs on the rights that it asks for, and uses them: ${what}`, async (t) => {
    const { namespaces } = await runsOnItsRights(t, what, { controllers: [shops, regions] });
    assert.deepEqual(namespaces, {});
  });

  test(`so does one of a namespace, with no right to namespaced kinds elsewhere: ${what}`, async (t) => {
    const { cluster, namespaces } = await runsOnItsRights(t, what, {
      controllers: [shops, regions],
      namespace: "default",
    });
    assert.deepEqual(
      cluster.flatMap(({ resources }) => resources),
      ["namespaces", "clusterroles", "regions"],
    );
    assert.deepEqual(Object.keys(namespaces), ["default"]);
  });

  test(`a selection of namespaces is followed: ${what}`, async (t) => {
    const namespaces = { labels: { "kubernetes.io/metadata.name": "default" } };
    const { cluster } = await runsOnItsRights(
      t,
      what,
      { controllers: [shops, regions], namespaces },
      { followsNamespaces: true },
    );
    assert.ok(
      cluster.some(
        ({ resources, verbs }) => resources.includes("namespaces") && verbs.includes("watch"),
      ),
    );
  });

  for (const replicas of ["election", "sharding"] as const)
    test(`replicas run on the rights to their Leases: ${replicas}: ${what}`, async (t) => {
      const { namespaces } = await runsOnItsRights(t, what, {
        controllers: [shops, regions],
        [replicas]: { namespace: "default", retryPeriodMs: 50 },
      });
      const rights = namespaces["default"]!.filter(({ resources }) => resources.includes("leases"));
      assert.equal(
        rights.some(({ resourceNames }) => resourceNames?.join() === "shop"),
        replicas === "election",
      );
    });

  test(`the judge sees what is too much, and what is missing: ${what}`, async (t) => {
    const { admin, client, events } = await openHeardServer(t, what);
    const rule = { apiGroups: [""], resources: ["configmaps"] };
    const permissions = {
      cluster: [{ ...rule, verbs: ["get", "list"] }],
      namespaces: { default: [{ ...rule, verbs: ["get", "patch"], resourceNames: ["a", "b"] }] },
    };
    await grant(admin, permissions);
    const selector = { labelSelector: "a=b" };
    await client.list(ConfigMap, { namespace: "default", ...selector });
    await client.find(ConfigMap, { name: "c", namespace: "default" });
    await assert.rejects(client.list(Secret, { namespace: "default" }), isForbidden);
    await admin.create(ConfigMap, ConfigMap("a", {}));
    await client.patch(ConfigMap, "a", { type: "merge", body: { data: { a: "b" } } });
    const without = { ...permissions, namespaces: {} };
    assert.deepEqual(judgeRights(permissions, events()), {
      ...exact,
      refused: ["list /api/v1/namespaces/default/secrets?limit=500"],
      unused: [
        "list /configmaps",
        "get /configmaps in default named a",
        "get /configmaps in default named b",
        "patch /configmaps in default named b",
      ],
      twice: ["get /configmaps in default named a", "get /configmaps in default named b"],
    });
    assert.deepEqual(judgeRights(without, events()).borrowed, [
      "patch /configmaps in default named a",
    ]);
  });
}
