// A cluster of fake nodes: workloads of every kind become ready, nodes are drained, fail and
// recover, and stages change the lifecycle of pods and other objects.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { parseStages, startApiServer } from "@homeostat/apiserver";
import { setNodeReadiness, setPodFate, testCluster } from "@homeostat/testing";
import { type Client, createClient, dynamicKind } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap, Node, Pod, type PodManifest, type Toleration } from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";
import { openServer, type TestServer } from "../fixtures/with-server.ts";

const noKubectl = spawnSync("kubectl", ["version", "--client"]).error
  ? "kubectl is not installed"
  : false;

const template = (app: string, spec: object = {}): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: "c", image: "c:1" }], ...spec },
});
const selector = (app: string): object => ({ matchLabels: { app } });
const apps = (kind: string, name: string, spec: object): object => ({
  apiVersion: "apps/v1",
  kind,
  metadata: { name },
  spec: { selector: selector(name), ...spec },
});
const claim = {
  metadata: { name: "data" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};
const workloads = [
  apps("Deployment", "web", { replicas: 3, template: template("web") }),
  apps("StatefulSet", "db", {
    replicas: 2,
    serviceName: "db",
    template: template("db", {
      initContainers: [
        { name: "first", image: "f:1" },
        { name: "side", image: "s:1", restartPolicy: "Always" },
      ],
    }),
    volumeClaimTemplates: [claim],
  }),
  apps("DaemonSet", "agent", { template: template("agent", { hostNetwork: true }) }),
  {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "once" },
    spec: { template: template("once", { restartPolicy: "Never" }) },
  },
];

const isReady = (object: any): boolean =>
  object.status.conditions?.some(
    ({ type, status }: any) => type === "Ready" && status === "True",
  ) === true;
const untilPod = (client: Client, name: string, holds: (pod: any) => boolean): Promise<any> =>
  until(async () => [await client.get(Pod, name)].find(holds));
const taintsOf = async (client: Client, name: string): Promise<readonly string[]> =>
  ((await client.get(Node, name)).spec.taints ?? [])
    .map(({ key, effect }: any) => `${key}:${effect}`)
    .toSorted();

describe("fake nodes", { timeout: 90_000 }, () => {
  let server: TestServer;
  before(
    async () => void (server = await openServer("https", { controllers: "all", fakeNodes: 3 })),
  );
  after(() => server.close());

  it("have addresses, capacity, zones and leases that are renewed", async () => {
    const client = await server.client();
    await until(async () => (await client.list(Node)).items.filter(isReady).length === 3);
    const nodes = (await client.list(Node)).items;
    assert.deepEqual(
      new Set(nodes.map(({ metadata }) => metadata.labels?.["topology.kubernetes.io/zone"])).size,
      3,
    );
    assert.deepEqual(new Set(nodes.map(({ spec }) => spec.podCIDR)).size, 3);
    assert.deepEqual(new Set(nodes.map(({ status }) => status.addresses?.[0]?.address)).size, 3);
    const lease = await until(() =>
      client.find(Lease, { namespace: "kube-node-lease", name: "fake-node-0" }),
    );
    assert.deepEqual(
      [lease.spec.holderIdentity, lease.metadata.ownerReferences?.[0]?.kind],
      ["fake-node-0", "Node"],
    );
    await until(async () => (await taintsOf(client, "fake-node-0")).length === 0);
  });

  it("run every kind of workload, and can be drained by kubectl", { skip: noKubectl }, async () => {
    const client = await server.client();
    const folder = mkdtempSync(join(tmpdir(), "homeostat-fake-nodes-"));
    try {
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.embedded!.kubeconfig);
      const manifests = join(folder, "workloads.json");
      writeFileSync(
        manifests,
        JSON.stringify({ apiVersion: "v1", kind: "List", items: workloads }),
      );
      const kubectl = async (...args: readonly string[]): Promise<string> =>
        (
          await promisify(execFile)("kubectl", [
            "--kubeconfig",
            kubeconfig,
            "-n",
            client.namespace,
            ...args,
          ])
        ).stdout.trim();
      const rolledOut = async (what: string): Promise<void> =>
        void (await kubectl("rollout", "status", what, "--timeout=20s"));
      await kubectl("create", "-f", manifests);
      for (const what of ["deployment/web", "statefulset/db", "daemonset/agent"])
        await rolledOut(what);
      await kubectl("wait", "--for=condition=complete", "job/once", "--timeout=20s");
      await kubectl(
        "wait",
        "--for=condition=Ready",
        "pod",
        "-l",
        "app in (web,db,agent)",
        "--timeout=20s",
      );
      assert.equal(
        await kubectl(
          "get",
          "pvc",
          "data-db-0",
          "-o",
          "jsonpath={.status.phase} {.status.capacity.storage}",
        ),
        "Bound 1Gi",
      );
      assert.match(
        await kubectl("drain", "fake-node-1", "--ignore-daemonsets", "--force", "--timeout=20s"),
        /node\/fake-node-1 drained$/,
      );
      assert.deepEqual(await taintsOf(client, "fake-node-1"), [
        "node.kubernetes.io/unschedulable:NoSchedule",
      ]);
      for (const what of ["deployment/web", "statefulset/db"]) await rolledOut(what);
      assert.deepEqual(
        (await client.list(Pod)).items
          .filter(({ spec }) => spec.nodeName === "fake-node-1")
          .map(({ metadata }) => metadata.labels?.["app"]),
        ["agent"],
      );
      await kubectl("uncordon", "fake-node-1");
      await until(async () => (await taintsOf(client, "fake-node-1")).length === 0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("run pods as their service accounts", async () => {
    const client = await server.client();
    const { spec } = await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "accounted" },
      spec: { containers: [{ name: "c", image: "c:1" }] },
    });
    assert.equal(spec.serviceAccountName, "default");
    assert.deepEqual(
      spec.containers[0]?.volumeMounts?.map(({ mountPath }) => mountPath),
      ["/var/run/secrets/kubernetes.io/serviceaccount"],
    );
  });

  it("are tainted when they are not ready, and lose the pods that do not tolerate it", async () => {
    const client = await server.client();
    const own = (name: string, tolerations: readonly Toleration[]): PodManifest => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
      spec: {
        containers: [{ name: "c", image: "c:1" }],
        nodeSelector: { "kubernetes.io/hostname": "fake-node-2" },
        tolerations,
      },
    });
    await client.create(Pod, own("patient", [{ operator: "Exists" }]));
    await client.create(
      Pod,
      own("fleeing", [
        {
          key: "node.kubernetes.io/not-ready",
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 0,
        },
      ]),
    );
    for (const name of ["patient", "fleeing"]) await untilPod(client, name, isReady);
    await setNodeReadiness(client, "fake-node-2", "not-ready");
    await until(async () => (await client.find(Pod, "fleeing")) === undefined);
    await untilPod(client, "patient", (pod) => !isReady(pod));
    await until(
      async () =>
        (await taintsOf(client, "fake-node-2")).join() ===
        "node.kubernetes.io/not-ready:NoExecute,node.kubernetes.io/not-ready:NoSchedule",
    );
    await setNodeReadiness(client, "fake-node-2", "unknown");
    await until(
      async () =>
        (await taintsOf(client, "fake-node-2")).join() ===
        "node.kubernetes.io/unreachable:NoExecute,node.kubernetes.io/unreachable:NoSchedule",
    );
    await setNodeReadiness(client, "fake-node-2", "ready");
    await untilPod(client, "patient", isReady);
    await until(async () => (await taintsOf(client, "fake-node-2")).length === 0);
  });

  it("refuse pods beyond their capacity, with kube-scheduler's message", async () => {
    const client = await server.client();
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "large" },
      spec: { containers: [{ name: "c", image: "c:1", resources: { requests: { cpu: "64" } } }] },
    });
    const { status } = await untilPod(client, "large", (pod) => pod.status.conditions?.length > 0);
    assert.deepEqual(
      [status.conditions[0].reason, status.conditions[0].message],
      [
        "Unschedulable",
        "0/3 nodes are available: 3 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.",
      ],
    );
  });
});

const stages = `
name: slow database
for: {kind: Pod}
when:
  labels: {app: slow}
  fields: [{path: ".status.containerStatuses[].state.waiting", operator: Exists}]
after: {ms: 300}
next: {pod: {act: start}, event: {reason: Slow, message: it took its time}}
---
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: stamp}
spec:
  resourceRef: {apiGroup: v1, kind: ConfigMap}
  selector:
    matchLabels: {stamp: please}
    matchExpressions: [{key: .data.at, operator: DoesNotExist}]
  next:
    patches: [{root: data, template: 'at: {{ Now | Quote }}'}]
    finalizers: {add: [{value: example.com/stamped}]}
`;

describe("custom stages", { timeout: 30_000 }, () => {
  it("take precedence over built-in ones, for objects of any kind", async () => {
    await using cluster = await testCluster({ fakeNodes: 1, stages: await parseStages(stages) });
    const { client } = cluster;
    await client.create(
      dynamicKind({
        apiVersion: "v1",
        kind: "Namespace",
        resource: "namespaces",
        scope: "Cluster",
      }),
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
    );
    const podOf = (name: string, app: string): PodManifest => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, namespace: "n", labels: { app } },
      spec: { containers: [{ name: "c", image: "c:1" }] },
    });
    const begin = performance.now();
    await client.create(Pod, podOf("slow", "slow"));
    await client.create(Pod, podOf("fast", "fast"));
    await cluster.eventually(Pod, "fast", isReady, { namespace: "n" });
    await cluster.eventually(Pod, "slow", isReady, { namespace: "n" });
    assert.ok(performance.now() - begin >= 300);
    await client.create(ConfigMap, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "c", namespace: "n", labels: { stamp: "please" } },
    });
    await cluster.eventually(
      ConfigMap,
      "c",
      ({ data, metadata }) =>
        /^\d{4}-/.test(data?.["at"] ?? "") && metadata.finalizers?.[0] === "example.com/stamped",
      { namespace: "n" },
    );
  });

  it("warn of a fate and a readiness that they do not know", async () => {
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const server = await startApiServer({ listen: false, fakeNodes: 1, warn });
    const client = createClient({ transport: server.transport() });
    try {
      await client.create(Pod, {
        metadata: {
          name: "p",
          namespace: "default",
          annotations: { "simulator.homeostat.dev/fate": "explode" },
        },
        spec: { containers: [{ name: "c", image: "c:1" }] },
      });
      await until(() => client.find(Node, "fake-node-0"));
      await client.patch(Node, "fake-node-0", {
        type: "merge",
        body: {
          metadata: {
            annotations: {
              "simulator.homeostat.dev/ready": "no",
              "simulator.homeostat.dev/kubelet": "off",
            },
          },
        },
      });
      await until(() => warnings.length === 3);
      assert.deepEqual(warnings.toSorted(), [
        'node fake-node-0: simulator.homeostat.dev/kubelet: expected none, got "off"',
        'node fake-node-0: simulator.homeostat.dev/ready: expected true or false or unknown or silent, got "no"',
        'pod default/p: simulator.homeostat.dev/fate: expected hold or unready or crash-loop or oom or fail or succeed or evict, got "explode"',
      ]);
    } finally {
      await client.close();
      await server.close();
    }
  });

  it("let tests decide a pod's fate", async () => {
    await using cluster = await testCluster({ fakeNodes: 1 });
    const { client } = cluster;
    const pod = { namespace: "default", name: "p" };
    await client.create(Pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: pod,
      spec: { containers: [{ name: "c", image: "c:1" }] },
    });
    const eventually = (test: (object: any) => boolean): Promise<unknown> =>
      cluster.eventually(Pod, "p", test, { namespace: "default" });
    await eventually(isReady);
    await setPodFate(client, pod, "oom");
    await eventually(
      ({ status }) => status.containerStatuses[0].lastState.terminated?.reason === "OOMKilled",
    );
    await setPodFate(client, pod, "none");
    await eventually((one) => isReady(one) && one.status.containerStatuses[0].restartCount === 1);
    await setPodFate(client, pod, "evict");
    await eventually(({ status }) => status.phase === "Failed" && status.reason === "Evicted");
  });
});
