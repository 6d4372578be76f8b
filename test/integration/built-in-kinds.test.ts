// The built-in kinds of homeostat/k8s work like defined kinds: the client reads and writes them,
// controllers own them, refer to them and reconcile them.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, ref } from "homeostat";
import { Deployment, type DeploymentSpec } from "homeostat/k8s/apps/v1";
import { SubjectAccessReview } from "homeostat/k8s/authorization/v1";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap, Pod, type PodSpec, Secret } from "homeostat/k8s/core/v1";
import { ClusterRole } from "homeostat/k8s/rbac/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const podSpec: PodSpec = { containers: [{ name: "web", image: "web:1" }] };
const webSpec = (replicas: number): DeploymentSpec => ({
  replicas,
  selector: { matchLabels: { app: "web" } },
  template: { metadata: { labels: { app: "web" } }, spec: podSpec },
});

describeLaws("built-in kinds", ({ client: openClient, run }) => {
  it("are read and written by the client", async () => {
    const client = await openClient();
    const created = await client.create(Deployment, Deployment("web", { spec: webSpec(2) }));
    assert.equal(created.spec.replicas, 2);
    assert.equal(created.spec.template.spec?.containers[0]?.imagePullPolicy, "IfNotPresent");
    assert.deepEqual(created.status, {}, "Go writes an empty status");
    const applied = await client.apply(Deployment, Deployment("web", { spec: webSpec(3) }), {
      force: true,
    });
    assert.equal(applied.spec.replicas, 3);
    const { items } = await client.list(Deployment, { namespace: client.namespace });
    assert.deepEqual(
      items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      [["apps/v1", "Deployment", "web"]],
    );
    await client.update(Deployment, { ...applied, spec: { ...applied.spec, paused: true } });
    assert.equal((await client.get(Deployment, "web")).spec.paused, true);
    const pod = await client.create(Pod, Pod({ name: "p", labels: { a: "b" } }, { spec: podSpec }));
    assert.equal(pod.status.phase, "Pending");
    const secret = await client.create(Secret, Secret("s", { stringData: { key: "value" } }));
    assert.equal(secret.data?.["key"], "dmFsdWU=");
  });

  it("are cluster-wide where upstream's are", async () => {
    const client = await openClient();
    const name = `built-in-${client.namespace}`;
    const role = await client.create(
      ClusterRole,
      ClusterRole(name, { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] }),
    );
    assert.equal(role.metadata.namespace, undefined);
    assert.deepEqual((await client.get(ClusterRole, name)).rules?.[0]?.verbs, ["get"]);
    await client.delete(ClusterRole, name);
  });

  it("are questions where upstream's are", async () => {
    const client = await openClient();
    const review = await client.create(
      SubjectAccessReview,
      SubjectAccessReview({
        spec: { user: "ana", resourceAttributes: { verb: "get", resource: "pods" } },
      }),
    );
    assert.equal(typeof review.status.allowed, "boolean");
    assert.equal(review.spec.user, "ana");
  });

  it("are owned and referred to", async () => {
    const controller = defineController(Box, {
      owns: [Deployment, ConfigMap],
      refs: { settings: ref(ConfigMap, (box) => box.spec.friend) },
      async reconcile({ object, refs: { settings }, own, status, wait }) {
        if (!settings) return wait.forRef("settings");
        const { name } = object.metadata;
        const replicas = Number(settings.data?.["replicas"] ?? 1);
        const [deployment] = await own(Deployment, [Deployment(name, { spec: webSpec(replicas) })]);
        await own(ConfigMap, [ConfigMap(`${name}-copy`, { data: settings.data ?? {} })]);
        status({ count: deployment!.spec.replicas ?? 0 });
        return undefined;
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("shop", { friend: "settings" }));
      await client.create(ConfigMap, ConfigMap("settings", { data: { replicas: "2" } }));
      await until(async () => (await client.get(Box, "shop")).status.count === 2);
      await client.apply(ConfigMap, ConfigMap("settings", { data: { replicas: "4" } }), {
        force: true,
      });
      const deployment = await until(async () => {
        const found = await client.get(Deployment, "shop");
        return found.spec.replicas === 4 ? found : undefined;
      });
      assert.deepEqual(
        deployment.metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
        [["Box", "shop"]],
      );
      await until(
        async () => (await client.get(ConfigMap, "shop-copy")).data?.["replicas"] === "4",
      );
    });
  });

  it("are reconciled", async () => {
    const reported = defineController(Deployment, {
      async reconcile({ object, own, status }) {
        const holder = `${object.metadata.name}-${object.spec.replicas ?? 1}`;
        await own(Lease, [Lease(object.metadata.name, { spec: { holderIdentity: holder } })]);
        status({ observedGeneration: object.metadata.generation, readyReplicas: 1, replicas: 1 });
      },
      owns: [Lease],
    });
    await run([reported], async (client) => {
      await client.create(Deployment, Deployment("api", { spec: webSpec(1) }));
      await until(async () => (await client.get(Deployment, "api")).status.readyReplicas === 1);
      assert.equal((await client.get(Lease, "api")).spec.holderIdentity, "api-1");
    });
  });
});
