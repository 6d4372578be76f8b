// StatefulSets and DaemonSets: the names and the order of their pods, status and events. No kubelet
// runs: the tests set the status of pods. Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Kind, type Metadata, type ObjectOf } from "homeostat/api";
import type { Client } from "homeostat/client";
import {
  ControllerRevision,
  DaemonSet,
  type DaemonSetManifest,
  type DaemonSetSpec,
  StatefulSet,
  type StatefulSetManifest,
  type StatefulSetSpec,
} from "homeostat/k8s/apps/v1";
import {
  Event,
  Node,
  PersistentVolumeClaim,
  Pod,
  type PodSpec,
  type PodTemplateSpec,
} from "homeostat/k8s/core/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const labels = { app: "web" };
const selector = { matchLabels: labels };
const template = (image: string, spec: Partial<PodSpec> = {}): PodTemplateSpec => ({
  metadata: { labels },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "web", image }], ...spec },
});
const statefulSetOf = (spec: Partial<StatefulSetSpec> = {}): StatefulSetManifest =>
  StatefulSet("web", {
    spec: { serviceName: "net", replicas: 2, selector, template: template("web:1"), ...spec },
  });
const daemonSetOf = (spec: Partial<DaemonSetSpec>): DaemonSetManifest =>
  DaemonSet("web", { spec: { selector, template: template("web:1"), ...spec } });
const claimTemplates = [
  PersistentVolumeClaim("data", {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
];
const ready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2024-01-01T00:00:00Z" }],
};

const list = async <K extends Kind>(client: Client, kind: K): Promise<readonly ObjectOf<K>[]> =>
  (await client.list(kind, { namespace: client.namespace })).items;
const pods = async (client: Client): Promise<readonly Pod[]> =>
  (await list(client, Pod)).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
const names = (objects: readonly { readonly metadata: Metadata }[]): string =>
  objects
    .map(({ metadata }) => metadata.name)
    .toSorted()
    .join();
const images = (objects: readonly Pod[]): string =>
  objects
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map(({ spec }) => spec.containers[0]?.image)
    .join();
const sayReady = (client: Client, name: string): Promise<Pod> =>
  client.patch(
    Pod,
    name,
    { type: "strategic", body: { status: ready } },
    { subresource: "status" },
  );
const change = <K extends Kind>(
  client: Client,
  kind: K,
  name: string,
  body: object,
): Promise<ObjectOf<K>> => client.patch(kind, name, { type: "merge", body });

for (const what of serverKinds()) {
  const real = what === "reference";
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 60_000, everyMs: 50 } : {});

  describe(`sets, ${what} server`, { timeout: 120_000 }, () => {
    let server: TestServer;
    before(
      async () =>
        void (server = await openServer(what, {
          controllers: ["default", "serviceaccount", "statefulset", "daemonset"],
        })),
    );
    after(() => server.close());

    /** Says of every pod that it is ready, and of those that come, until `holds`. */
    async function settle<S extends StatefulSet | DaemonSet>(
      client: Client,
      kind: Kind<S>,
      holds: (set: S) => boolean,
    ): Promise<S> {
      return until(async () => {
        for (const { metadata, status } of await pods(client))
          if (!status.conditions?.some(({ type }) => type === "Ready"))
            await sayReady(client, metadata.name).catch(() => undefined);
        const set = await client.get(kind, "web");
        return holds(set) && set.status.observedGeneration === set.metadata.generation && set;
      });
    }
    const allReady = ({ spec, status }: StatefulSet): boolean =>
      status.availableReplicas === spec.replicas &&
      status.updatedReplicas === spec.replicas &&
      status.replicas === spec.replicas;

    it("makes pods one after the other, each with a name, a place in the network and a claim", async () => {
      const client = await server.client();
      await client.create(StatefulSet, statefulSetOf({ volumeClaimTemplates: claimTemplates }));
      const first = await until(async () => (await pods(client))[0]);
      const revision = (await list(client, ControllerRevision))[0]!.metadata.name;
      assert.deepEqual(first.metadata.labels, {
        ...labels,
        "apps.kubernetes.io/pod-index": "0",
        "controller-revision-hash": revision,
        "statefulset.kubernetes.io/pod-name": "web-0",
      });
      assert.deepEqual(
        [
          first.spec.hostname,
          first.spec.subdomain,
          first.spec.volumes?.[0]?.persistentVolumeClaim?.claimName,
        ],
        ["web-0", "net", "data-web-0"],
      );
      const waiting = await until(async () =>
        [await client.get(StatefulSet, "web")].find(({ status }) => status.replicas === 1),
      );
      assert.equal(waiting.status.currentRevision, revision);
      assert.equal(names(await pods(client)), "web-0");
      await settle(client, StatefulSet, allReady);
      assert.equal(names(await list(client, PersistentVolumeClaim)), "data-web-0,data-web-1");
      const events = await until(async () =>
        [await list(client, Event)].find(
          (all) =>
            all.filter(({ source }) => source?.component === "statefulset-controller").length >= 4,
        ),
      );
      const messages = events!.map(({ reason, message }) => `${reason}: ${message}`);
      assert.ok(
        messages.includes(
          "SuccessfulCreate: Create Claim data-web-1 Pod web-1 in StatefulSet web success",
        ),
      );
      assert.ok(
        messages.includes("SuccessfulCreate: Create Pod web-1 in StatefulSet web successful"),
      );
    });

    it("names revisions as the real control plane does", async () => {
      const client = await server.client();
      await client.create(
        StatefulSet,
        statefulSetOf({
          template: {
            metadata: { labels },
            spec: { terminationGracePeriodSeconds: 0, containers: [{ name: "w", image: "w:1" }] },
          },
        }),
      );
      const revision = await until(async () => (await list(client, ControllerRevision))[0]);
      assert.equal(revision.metadata.name, "web-9d44f89c5");
    });

    it("rolls out from the last pod down to the partition, and goes back to a revision that it had", async () => {
      const client = await server.client();
      await client.create(
        StatefulSet,
        statefulSetOf({
          replicas: 3,
          podManagementPolicy: "Parallel",
          updateStrategy: { rollingUpdate: { partition: 2 } },
        }),
      );
      const before = await settle(client, StatefulSet, allReady);
      await change(client, StatefulSet, "web", { spec: { template: template("web:2") } });
      await settle(
        client,
        StatefulSet,
        ({ status }) => status.updatedReplicas === 1 && status.readyReplicas === 3,
      );
      assert.equal(images(await pods(client)), "web:1,web:1,web:2");
      await client.delete(Pod, "web-0");
      await settle(
        client,
        StatefulSet,
        ({ status }) => status.readyReplicas === 3 && status.currentReplicas === 2,
      );
      assert.equal(images(await pods(client)), "web:1,web:1,web:2");
      await change(client, StatefulSet, "web", {
        spec: { updateStrategy: { rollingUpdate: { partition: 0 } } },
      });
      const after = await settle(
        client,
        StatefulSet,
        ({ status }) => status.currentRevision === status.updateRevision,
      );
      assert.equal(images(await pods(client)), "web:2,web:2,web:2");
      await change(client, StatefulSet, "web", { spec: { template: template("web:1") } });
      const back = await settle(
        client,
        StatefulSet,
        (set) => allReady(set) && set.status.currentRevision !== after.status.currentRevision,
      );
      assert.equal(back.status.currentRevision, before.status.currentRevision);
      assert.deepEqual(
        (await list(client, ControllerRevision)).map(({ revision }) => revision).toSorted(),
        [2, 3],
      );
    });

    it("deletes pods from the last one, releases their claims, and replaces failed ones", async () => {
      const client = await server.client();
      await client.create(
        StatefulSet,
        statefulSetOf({
          replicas: 3,
          volumeClaimTemplates: claimTemplates,
          persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Delete" },
        }),
      );
      await settle(client, StatefulSet, allReady);
      const owners = async (claim: string): Promise<string | undefined> =>
        (await client.get(PersistentVolumeClaim, claim)).metadata.ownerReferences
          ?.map(({ kind }) => kind)
          .join();
      assert.equal(await owners("data-web-2"), "StatefulSet");
      await client.patch(
        Pod,
        "web-0",
        { type: "strategic", body: { status: { phase: "Failed" } } },
        { subresource: "status" },
      );
      await settle(client, StatefulSet, allReady);
      await client.patch(PersistentVolumeClaim, "data-web-2", {
        type: "merge",
        body: { metadata: { finalizers: ["test.example.com/hold"] } },
      });
      await change(client, StatefulSet, "web", { spec: { replicas: 1 } });
      await settle(client, StatefulSet, allReady);
      assert.equal(names(await pods(client)), "web-0");
      assert.equal(await owners("data-web-2"), "Pod");
      await client.patch(PersistentVolumeClaim, "data-web-2", {
        type: "merge",
        body: { metadata: { finalizers: null } },
      });
    });

    it("has no daemons where there are no nodes for them", async () => {
      const client = await server.client();
      await client.create(
        DaemonSet,
        daemonSetOf({
          template: template("web:1", {
            nodeSelector: { "test.example.com/for": client.namespace },
          }),
        }),
      );
      const set = await until(async () =>
        [await client.get(DaemonSet, "web")].find(({ status }) => status.observedGeneration === 1),
      );
      assert.deepEqual(set.status, {
        currentNumberScheduled: 0,
        desiredNumberScheduled: 0,
        numberMisscheduled: 0,
        numberReady: 0,
        observedGeneration: 1,
      });
      const revision = (await list(client, ControllerRevision))[0]!;
      assert.equal(
        revision.metadata.name,
        `web-${revision.metadata.labels?.["controller-revision-hash"]}`,
      );
    });

    it("runs a daemon on every eligible node, and replaces them one by one", async () => {
      const client = await server.client();
      const label = { "test.example.com/for": client.namespace };
      const nodes = ["a", "b", "c"].map((suffix) => `${client.namespace}-${suffix}`);
      try {
        for (const name of nodes)
          await client.create(Node, {
            apiVersion: "v1",
            kind: "Node",
            metadata: { name, labels: label },
          });
        await client.create(
          DaemonSet,
          daemonSetOf({
            template: template("web:1", {
              nodeSelector: label,
              tolerations: [{ operator: "Exists" }],
            }),
          }),
        );
        const isUp = ({ status }: DaemonSet): boolean =>
          status.numberAvailable === 3 &&
          status.updatedNumberScheduled === 3 &&
          status.desiredNumberScheduled === 3;
        await settle(client, DaemonSet, isUp);
        const targets = (await pods(client)).map(
          ({ spec }) =>
            spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
              ?.nodeSelectorTerms[0]?.matchFields?.[0]?.values?.[0],
        );
        assert.deepEqual(targets.toSorted(), nodes);
        await change(client, DaemonSet, "web", {
          spec: {
            template: template("web:2", {
              nodeSelector: label,
              tolerations: [{ operator: "Exists" }],
            }),
          },
        });
        await until(async () => images(await pods(client)).includes("web:2"));
        assert.equal(
          (await pods(client)).filter(({ spec }) => spec.containers[0]?.image === "web:1").length,
          2,
        );
        await settle(client, DaemonSet, isUp);
        assert.equal(images(await pods(client)), "web:2,web:2,web:2");
        await change(client, Node, nodes[2]!, {
          metadata: { labels: { "test.example.com/for": null } },
        });
        await change(client, DaemonSet, "web", { metadata: { annotations: { look: "again" } } });
        await settle(client, DaemonSet, ({ status }) => status.desiredNumberScheduled === 2);
        assert.equal((await pods(client)).length, 2);
      } finally {
        for (const name of nodes) await client.delete(Node, name);
      }
    });
  });
}
