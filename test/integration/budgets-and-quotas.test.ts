// Disruption budgets, evictions, and the usage that ResourceQuotas report. Also runs on a real
// control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isApiStatusError, type OwnerReference, type Status } from "homeostat/api";
import type { Client } from "homeostat/client";
import { ReplicaSet } from "homeostat/k8s/apps/v1";
import {
  ConfigMap,
  Event,
  Pod,
  type PodManifest,
  type PodSpec,
  ResourceQuota,
  type ResourceQuotaSpec,
  type ResourceRequirements,
  Secret,
} from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import { PodDisruptionBudget, type PodDisruptionBudgetSpec } from "homeostat/k8s/policy/v1";
import { until as untilWithin } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const controllers = ["default", "disruption", "resourcequota"];
const selector = { matchLabels: { app: "web" } };
const podOf = (
  name: string,
  more: {
    readonly spec?: Partial<PodSpec>;
    readonly resources?: ResourceRequirements;
    readonly owner?: OwnerReference;
  } = {},
): PodManifest =>
  Pod(
    {
      name,
      labels: { app: "web" },
      ...(more.owner ? { ownerReferences: [more.owner] } : {}),
    },
    {
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          { name: "c", image: "c", ...(more.resources ? { resources: more.resources } : {}) },
        ],
        ...more.spec,
      },
    },
  );
const setReady = (client: Client, name: string, ready: "True" | "False"): Promise<unknown> =>
  client.patch(
    Pod,
    name,
    {
      type: "strategic",
      body: {
        status: {
          phase: "Running",
          conditions: [
            { type: "Ready", status: ready, lastTransitionTime: "2024-01-01T00:00:00Z" },
          ],
        },
      },
    },
    { subresource: "status" },
  );
const addBudget = (client: Client, spec: PodDisruptionBudgetSpec): Promise<PodDisruptionBudget> =>
  client.create(PodDisruptionBudget, PodDisruptionBudget("b", { spec: { selector, ...spec } }));

/** The answer to an eviction: nothing, or the refusal. */
async function evict(client: Client, name: string): Promise<Status | undefined> {
  const path = `/api/v1/namespaces/${client.namespace}/pods/${name}/eviction`;
  try {
    await client.request({
      method: "POST",
      path,
      body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } },
    });
  } catch (error) {
    if (isApiStatusError(error)) return error.status;
    throw error;
  }
  return undefined;
}

for (const what of serverKinds()) {
  const real = what === "reference";
  const until: typeof untilWithin = (look) =>
    untilWithin(look, real ? { timeoutMs: 60_000, everyMs: 50 } : {});
  const counts = (client: Client, wanted: string): Promise<unknown> =>
    until(async () => {
      const { metadata, status } = await client.get(PodDisruptionBudget, "b");
      return (
        status.observedGeneration === metadata.generation &&
        [
          status.currentHealthy,
          status.desiredHealthy,
          status.expectedPods,
          status.disruptionsAllowed,
        ].join() === wanted
      );
    });

  describe(`budgets and quotas, ${what} server`, { concurrency: true, timeout: 120_000 }, () => {
    let server: TestServer;
    before(async () => void (server = await openServer(what, { controllers })));
    after(() => server.close());

    it("lets as many pods go as the budget allows", async () => {
      const client = await server.client();
      for (const name of ["a", "b"]) {
        await client.create(Pod, podOf(name));
        await setReady(client, name, "True");
      }
      await addBudget(client, { minAvailable: 1 });
      await counts(client, "2,1,2,1");
      assert.equal(await evict(client, "a"), undefined);
      await counts(client, "1,1,1,0");
      const metadata: ObjectMeta = (await client.get(PodDisruptionBudget, "b")).metadata;
      const managers = (metadata.managedFields ?? []).map(
        ({ manager, subresource }) => `${manager} ${subresource ?? ""}`,
      );
      assert.ok(managers.includes("kube-apiserver status"), managers.join());
      const refusal = await evict(client, "b");
      assert.deepEqual(
        [refusal?.code, refusal?.details?.causes],
        [
          429,
          [
            {
              reason: "DisruptionBudget",
              message: "The disruption budget b needs 1 healthy pods and has 1 currently",
            },
          ],
        ],
      );
      await client.delete(PodDisruptionBudget, "b");
      assert.equal(await evict(client, "b"), undefined);
      assert.equal(await client.find(Pod, "b"), undefined);
    });

    it("takes percentages of the owner's replicas, and reports when they are unknown", async () => {
      const client = await server.client();
      const set = await client.create(ReplicaSet, {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        metadata: { name: "web" },
        spec: {
          replicas: 1,
          selector,
          template: {
            metadata: { labels: selector.matchLabels },
            spec: { containers: [{ name: "c", image: "c" }] },
          },
        },
      });
      const owner = {
        apiVersion: "apps/v1",
        kind: "ReplicaSet",
        name: "web",
        uid: set.metadata.uid,
        controller: true,
      };
      if (!real) await client.create(Pod, podOf("a", { owner }));
      const pod = await until(
        async () => (await client.list(Pod, { namespace: client.namespace })).items[0],
      );
      await setReady(client, pod.metadata.name, "True");
      await addBudget(client, { maxUnavailable: "50%" });
      await counts(client, "1,0,1,1");
      await client.delete(PodDisruptionBudget, "b");
      await client.create(Pod, {
        ...podOf("odd", {
          owner: {
            apiVersion: "v1",
            kind: "ConfigMap",
            name: "kube-root-ca.crt",
            uid: (await configMap(client)).metadata.uid,
            controller: true,
          },
        }),
      });
      await addBudget(client, { minAvailable: "50%" });
      const { status } = await until(async () =>
        [await client.get(PodDisruptionBudget, "b")].find(
          (one) => one.status.conditions?.[0]?.reason === "SyncFailed",
        ),
      );
      assert.deepEqual(
        [status.disruptionsAllowed, status.conditions?.[0]?.message],
        [0, "configmaps does not implement the scale subresource"],
      );
      const events = await until(async () =>
        [
          (
            await client.list(Event, {
              namespace: client.namespace,
              fieldSelector: "involvedObject.name=b,reason=CalculateExpectedPodCountFailed",
            })
          ).items,
        ].find(({ length }) => length > 0),
      );
      assert.equal(
        events[0]?.message,
        "Failed to calculate the number of expected pods: configmaps does not implement the scale subresource",
      );
    });

    /** On a real control plane every namespace has one of this name. */
    const configMap = async (client: Client): Promise<ConfigMap> =>
      real
        ? until(() => client.find(ConfigMap, "kube-root-ca.crt"))
        : client.create(ConfigMap, ConfigMap("kube-root-ca.crt"));

    it("sums the usage of a namespace within the quota's scopes", async () => {
      const client = await server.client();
      const addQuota = (name: string, spec: ResourceQuotaSpec): Promise<ResourceQuota> =>
        client.create(ResourceQuota, ResourceQuota(name, { spec }));
      const uses = (name: string, wanted: object): Promise<unknown> =>
        until(async () => {
          const { status } = await client.get(ResourceQuota, name);
          return Object.entries(wanted).every(
            ([resource, amount]) => status?.used?.[resource] === amount,
          );
        });
      await client.create(
        Pod,
        podOf("a", {
          resources: { requests: { cpu: "100m" }, limits: { cpu: "1500m", memory: "64Mi" } },
        }),
      );
      await client.create(Pod, podOf("b", { spec: { activeDeadlineSeconds: 60 } }));
      await client.create(Secret, Secret("s"));
      await addQuota("all", {
        hard: {
          pods: "9",
          cpu: "2",
          "limits.cpu": "2",
          "requests.memory": "1Gi",
          "count/secrets": "5",
          secrets: "5",
          "count/odd.example.com": "1",
        },
      });
      await addQuota("short", { hard: { pods: "9" }, scopes: ["Terminating"] });
      await uses("all", {
        pods: "2",
        cpu: "100m",
        "limits.cpu": "1500m",
        "requests.memory": "64Mi",
        "count/secrets": "1",
        secrets: "1",
      });
      await uses("short", { pods: "1" });
      const { status } = await client.get(ResourceQuota, "all");
      assert.deepEqual(
        [status.hard?.["count/odd.example.com"], status.used?.["count/odd.example.com"]],
        ["1", undefined],
      );
      await client.delete(Secret, "s");
      await client.patch(
        Pod,
        "a",
        { type: "strategic", body: { status: { phase: "Failed" } } },
        { subresource: "status" },
      );
      await uses("all", { pods: "1", "limits.cpu": "0", secrets: "0" });
      await client.patch(ResourceQuota, "all", {
        type: "merge",
        body: { spec: { hard: { pods: "3", "count/pods": "4" } } },
      });
      await uses("all", { "count/pods": "2" });
    });
  });
}
