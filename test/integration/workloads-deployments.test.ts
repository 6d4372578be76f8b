// Deployments, ReplicaSets and ReplicationControllers: the number and the names of their pods,
// status and events. No kubelet runs: the tests set the status of pods. Also runs on a real control
// plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Kind, type ObjectOf } from "homeostat/api";
import type { Client } from "homeostat/client";
import {
  Deployment,
  type DeploymentManifest,
  type DeploymentSpec,
  ReplicaSet,
} from "homeostat/k8s/apps/v1";
import {
  ConfigMap,
  Event,
  Pod,
  type PodTemplateSpec,
  ReplicationController,
  ServiceAccount,
} from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const revision = "deployment.kubernetes.io/revision";
const labels = { app: "web" };
const template = (image: string): PodTemplateSpec => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image }] },
});
const selector = { matchLabels: labels };
const deploymentOf = (spec: Partial<DeploymentSpec>): DeploymentManifest =>
  Deployment("web", { spec: { replicas: 2, selector, template: template("web:1"), ...spec } });
const ready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" }],
};

const pods = async (client: Client): Promise<readonly Pod[]> =>
  (await client.list(Pod, { namespace: client.namespace })).items.filter(
    ({ metadata }) => metadata.deletionTimestamp === undefined,
  );
const sets = async (client: Client): Promise<readonly ReplicaSet[]> =>
  (await client.list(ReplicaSet, { namespace: client.namespace })).items;
const condition = <C extends { readonly type: string }>(
  { status }: { readonly status: { readonly conditions?: readonly C[] } },
  type: string,
): C | undefined => status.conditions?.find((one) => one.type === type);
const change = <K extends Kind>(
  client: Client,
  kind: K,
  name: string,
  spec: object,
): Promise<ObjectOf<K>> => client.patch(kind, name, { type: "strategic", body: { spec } });

for (const what of serverKinds()) {
  const real = what === "reference";
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 60_000, everyMs: 50 } : {});

  describe(`workloads, ${what} server`, { concurrency: true, timeout: 120_000 }, () => {
    let server: TestServer;
    before(
      async () =>
        void (server = await openServer(what, {
          controllers: [
            "default",
            "serviceaccount",
            "root-ca-certificate-publisher",
            "replicaset",
            "replicationcontroller",
            "deployment",
          ],
        })),
    );
    after(() => server.close());

    /**
     * Says of every pod that it is ready, and of those that come, until the deployment has said so
     * too.
     */
    async function settle(client: Client): Promise<Deployment> {
      return until(async () => {
        const waiting = (await pods(client)).filter((pod) => condition(pod, "Ready") === undefined);
        for (const { metadata } of waiting)
          await client
            .patch(
              Pod,
              metadata.name,
              { type: "strategic", body: { status: ready } },
              { subresource: "status" },
            )
            .catch(() => undefined);
        const deployment = await client.get(Deployment, "web");
        const { status, spec, metadata } = deployment;
        const through = [status.replicas, status.updatedReplicas, status.availableReplicas].every(
          (count) => count === spec.replicas,
        );
        return (
          through &&
          status.observedGeneration === metadata.generation &&
          condition(deployment, "Progressing")?.reason === "NewReplicaSetAvailable" &&
          deployment
        );
      });
    }

    it("gives every namespace its service account and the certificate of the server", async () => {
      const client = await server.client();
      await until(async () => await client.find(ServiceAccount, "default"));
      await client.delete(ServiceAccount, "default");
      await until(async () => await client.find(ServiceAccount, "default"));
      if (what === "in-process") return;
      const map = await until(async () => await client.find(ConfigMap, "kube-root-ca.crt"));
      assert.match(map.data?.["ca.crt"] ?? "", /^-----BEGIN CERTIFICATE-----/);
      await client.patch(ConfigMap, "kube-root-ca.crt", {
        type: "merge",
        body: { data: { "ca.crt": "mine" } },
      });
      await until(
        async () =>
          (await client.get(ConfigMap, "kube-root-ca.crt")).data?.["ca.crt"] ===
          map.data?.["ca.crt"],
      );
    });

    it("creates a replica set and its pods, and reports when they are available", async () => {
      const client = await server.client();
      await client.create(Deployment, deploymentOf({}));
      await until(async () => (await pods(client)).length === 2);
      const set = (await sets(client))[0]!;
      const hash = set.metadata.labels?.["pod-template-hash"];
      assert.match(hash ?? "", /^[bcdfghjklmnpqrstvwxz2456789]+$/);
      assert.equal(set.metadata.name, `web-${hash}`);
      assert.deepEqual(set.metadata.annotations, {
        [revision]: "1",
        "deployment.kubernetes.io/desired-replicas": "2",
        "deployment.kubernetes.io/max-replicas": "3",
      });
      const metadata: ObjectMeta = set.metadata;
      assert.equal(metadata.managedFields?.[0]?.manager, "kube-controller-manager");
      for (const { metadata } of (await pods(client)) as readonly { metadata: ObjectMeta }[])
        assert.deepEqual(
          [
            metadata.generateName,
            metadata.labels?.["pod-template-hash"],
            metadata.ownerReferences?.[0]?.name,
          ],
          [`web-${hash}-`, hash, set.metadata.name],
        );
      const deployment = await settle(client);
      assert.deepEqual(
        [
          deployment.status.replicas,
          deployment.status.readyReplicas,
          deployment.status.availableReplicas,
          deployment.status.updatedReplicas,
        ],
        [2, 2, 2, 2],
      );
      assert.equal(
        condition(deployment, "Progressing")?.message,
        `ReplicaSet "web-${hash}" has successfully progressed.`,
      );
      assert.equal(
        condition(deployment, "Available")?.message,
        "Deployment has minimum availability.",
      );
      const events = await until(async () => {
        const { items } = await client.list(Event, { namespace: client.namespace });
        return items.length >= 3 && items;
      });
      assert.ok(
        events.some(
          ({ message, source }) =>
            message === `Scaled up replica set web-${hash} from 0 to 2` &&
            source?.component === "deployment-controller",
        ),
      );
    });

    it("rolls within its bounds, keeps revisions, and goes back to one", async () => {
      const client = await server.client();
      await client.create(
        Deployment,
        deploymentOf({
          replicas: 4,
          revisionHistoryLimit: 1,
          strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
        }),
      );
      await settle(client);
      const first = (await sets(client))[0]!.metadata.name;
      await change(client, Deployment, "web", { template: template("web:2") });
      await until(
        async () =>
          (await sets(client))
            .map(({ spec }) => spec.replicas)
            .toSorted()
            .join() === "2,3",
      );
      const after = await settle(client);
      assert.equal(after.metadata.annotations?.[revision], "2");
      await change(client, Deployment, "web", { template: template("web:1") });
      await until(
        async () => (await client.get(Deployment, "web")).metadata.annotations?.[revision] === "3",
      );
      await settle(client);
      const back = await client.get(ReplicaSet, first);
      assert.deepEqual(
        [
          back.spec.replicas,
          back.metadata.annotations?.[revision],
          back.metadata.annotations?.["deployment.kubernetes.io/revision-history"],
        ],
        [4, "3", "1"],
      );
      await change(client, Deployment, "web", { template: template("web:3") });
      await settle(client);
      await until(async () => (await sets(client)).length === 2);
    });

    it("recreates: no new pod before the last old one is deleted", async () => {
      const client = await server.client();
      await client.create(Deployment, deploymentOf({ strategy: { type: "Recreate" } }));
      await settle(client);
      const old = (await pods(client))[0]!.metadata;
      await client.patch(Pod, old.name, {
        type: "merge",
        body: { metadata: { finalizers: ["test.example.com/hold"] } },
      });
      await change(client, Deployment, "web", { template: template("web:2") });
      await until(async () => (await client.get(Pod, old.name)).metadata.deletionTimestamp);
      await until(async () => (await sets(client))[0]!.spec.replicas === 0);
      assert.equal((await sets(client)).length, 1);
      await client.patch(Pod, old.name, {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
      await until(async () => (await sets(client)).length === 2);
      await settle(client);
    });

    it("does nothing new while it is paused, but scales", async () => {
      const client = await server.client();
      await client.create(Deployment, deploymentOf({ replicas: 1 }));
      await settle(client);
      await change(client, Deployment, "web", {
        paused: true,
        replicas: 3,
        template: template("web:2"),
      });
      await until(
        async () =>
          condition(await client.get(Deployment, "web"), "Progressing")?.reason ===
          "DeploymentPaused",
      );
      await until(async () => (await pods(client)).length === 3);
      assert.equal((await sets(client)).length, 1);
      await change(client, Deployment, "web", { paused: false });
      await until(async () => (await sets(client)).length === 2);
    });

    it("says when a rollout takes too long", async () => {
      const client = await server.client();
      await client.create(Deployment, deploymentOf({ progressDeadlineSeconds: 1 }));
      const stuck = await until(async () => {
        const deployment = await client.get(Deployment, "web");
        return condition(deployment, "Progressing")?.status === "False" && deployment;
      });
      const set = (await sets(client))[0]!;
      assert.deepEqual(
        [condition(stuck, "Progressing")?.reason, condition(stuck, "Progressing")?.message],
        [
          "ProgressDeadlineExceeded",
          `ReplicaSet "${set.metadata.name}" has timed out progressing.`,
        ],
      );
      assert.equal(condition(stuck, "Available")?.reason, "MinimumReplicasUnavailable");
    });

    it("keeps replica sets at their size, adopts matching pods, releases others", async () => {
      const client = await server.client();
      const stray = await client.create(Pod, {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "stray", labels },
        spec: { containers: [{ name: "c", image: "c" }] },
      });
      await client.create(ReplicaSet, {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "few" },
        spec: { replicas: 2, selector: { matchLabels: labels }, template: template("web:1") },
      });
      await until(async () => (await client.get(ReplicaSet, "few")).status.replicas === 2);
      const adopted = await client.get(Pod, stray.metadata.name);
      assert.deepEqual(
        [
          adopted.metadata.ownerReferences?.[0]?.name,
          adopted.metadata.ownerReferences?.[0]?.controller,
        ],
        ["few", true],
      );
      await client.patch(Pod, "stray", {
        type: "merge",
        body: { metadata: { labels: { app: "other" } } },
      });
      await until(
        async () => (await client.get(Pod, "stray")).metadata.ownerReferences === undefined,
      );
      await until(async () => (await pods(client)).length === 3);
      await change(client, ReplicaSet, "few", { replicas: 0 });
      await until(
        async () => (await pods(client)).map(({ metadata }) => metadata.name).join() === "stray",
      );
    });

    it("reports why pods cannot be created, with the server's message", async () => {
      const client = await server.client();
      // A template may say so, a pod may not.
      const refused = {
        metadata: { labels },
        spec: {
          nodeName: "nowhere",
          schedulingGates: [{ name: "test.example.com/gate" }],
          containers: [{ name: "web", image: "web" }],
        },
      };
      await client.create(ReplicaSet, {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "few" },
        spec: { replicas: 1, selector: { matchLabels: labels }, template: refused },
      });
      const failure = await until(async () =>
        condition(await client.get(ReplicaSet, "few"), "ReplicaFailure"),
      );
      assert.equal(failure.reason, "FailedCreate");
      assert.match(
        failure.message ?? "",
        /^Pod "few-[a-z0-9]{5}" is invalid: spec\.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared$/,
      );
      await client.patch(ReplicaSet, "few", { type: "merge", body: { spec: { replicas: 0 } } });
      await until(
        async () => condition(await client.get(ReplicaSet, "few"), "ReplicaFailure") === undefined,
      );
    });

    it("keeps replication controllers at their size and counts their pods", async () => {
      const client = await server.client();
      await client.create(
        ReplicationController,
        ReplicationController("old", { spec: { replicas: 2, template: template("web:1") } }),
      );
      const { status } = await until(async () => {
        const found = await client.get(ReplicationController, "old");
        return found.status.replicas === 2 && found.status.observedGeneration === 1 && found;
      });
      assert.deepEqual(status, { replicas: 2, fullyLabeledReplicas: 2, observedGeneration: 1 });
      const gone = (await pods(client))[0]!;
      await client.delete(Pod, gone.metadata.name);
      await until(
        async () =>
          (await pods(client)).length === 2 &&
          (await pods(client)).every(({ metadata }) => metadata.name !== gone.metadata.name),
      );
    });
  });
}
