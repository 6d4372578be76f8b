// Pods on fake nodes: they run, finish, crash and terminate as a test demands, and kubectl can
// follow a rollout.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { Client } from "homeostat/client";
import { Node, Pod, type PodManifest } from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";
import { openServer, type TestServer } from "../fixtures/with-server.ts";

const podOf = (
  name: string,
  more: { readonly fate?: string; readonly spec?: object } = {},
): PodManifest => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    annotations: more.fate === undefined ? {} : { "simulator.homeostat.dev/fate": more.fate },
  },
  spec: { containers: [{ name: "c", image: "c:1" }], ...more.spec },
});
const untilPod = (client: Client, name: string, holds: (pod: any) => boolean): Promise<any> =>
  until(async () => [await client.get(Pod, name)].find(holds));
const isReady = (pod: any): boolean =>
  pod.status.conditions?.some(({ type, status }: any) => type === "Ready" && status === "True") ===
  true;
const noKubectl = spawnSync("kubectl", ["version", "--client"]).error
  ? "kubectl is not installed"
  : false;

describe("the lifecycle of pods", { timeout: 60_000 }, () => {
  let server: TestServer;
  before(
    async () =>
      void (server = await openServer("https", { controllers: ["all", "pod-lifecycle"] })),
  );
  after(() => server.close());

  it("binds a pod to an existing node, runs it, and deletes it at once", async () => {
    const client = await server.client();
    await client.create(Pod, podOf("runs"));
    const pod = await untilPod(client, "runs", isReady);
    const node = await client.get(Node, pod.spec.nodeName);
    assert.deepEqual(
      [pod.status.phase, pod.status.hostIP],
      ["Running", node.status.addresses?.find(({ type }) => type === "InternalIP")?.address],
    );
    assert.match(pod.status.podIP, /^10\.244\.\d+\.\d+$/);
    assert.equal(pod.status.containerStatuses[0].ready, true);
    assert.ok(
      pod.metadata.managedFields.some(
        ({ manager, subresource }: any) => manager === "kubelet" && subresource === "status",
      ),
    );
    await client.delete(Pod, "runs");
    await until(async () => (await client.find(Pod, "runs")) === undefined);
  });

  it("ends pods according to restart policy or fate", async () => {
    const client = await server.client();
    await client.create(Pod, podOf("once", { spec: { restartPolicy: "Never" } }));
    await client.create(Pod, podOf("fails", { fate: "fail", spec: { restartPolicy: "Never" } }));
    await client.create(Pod, podOf("crashes", { fate: "crash-loop" }));
    await untilPod(client, "once", ({ status }) => status.phase === "Succeeded");
    const failed = await untilPod(client, "fails", ({ status }) => status.phase === "Failed");
    assert.equal(failed.status.containerStatuses[0].state.terminated.exitCode, 1);
    await untilPod(
      client,
      "crashes",
      ({ status }) => status.containerStatuses?.[0].state.waiting?.reason === "CrashLoopBackOff",
    );
    await client.patch(Pod, "crashes", {
      type: "merge",
      body: { metadata: { annotations: { "simulator.homeostat.dev/fate": null } } },
    });
    await untilPod(client, "crashes", isReady);
  });

  it("leaves a pod pending that fits no node, reports why, and binds it when a node fits", async () => {
    const client = await server.client();
    const disk = client.namespace;
    await client.create(Pod, podOf("picky", { spec: { nodeSelector: { disk } } }));
    const pod = await untilPod(
      client,
      "picky",
      ({ status }) => status.conditions?.[0]?.reason === "Unschedulable",
    );
    assert.match(
      pod.status.conditions[0].message,
      /^0\/\d+ nodes are available: \d+ node\(s\) didn't match Pod's node affinity\/selector\. no new claims to deallocate, preemption: /,
    );
    await client.create(Node, {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: client.namespace, labels: { disk } },
    });
    assert.equal((await untilPod(client, "picky", isReady)).spec.nodeName, client.namespace);
    await client.patch(Node, client.namespace, {
      type: "merge",
      body: { metadata: { annotations: { "simulator.homeostat.dev/ready": "false" } } },
    });
    await untilPod(client, "picky", (one) => !isReady(one));
    const node = await until(async () =>
      [await client.get(Node, client.namespace)].find(({ spec }: any) => spec.taints?.length === 2),
    );
    assert.equal(node.status.conditions?.find(({ type }) => type === "Ready")?.status, "False");
  });

  it("rolls out, restarts and goes back under kubectl's eyes", { skip: noKubectl }, async () => {
    const { namespace } = await server.client();
    const folder = mkdtempSync(join(tmpdir(), "homeostat-workloads-"));
    try {
      const kubeconfig = join(folder, "kubeconfig");
      writeFileSync(kubeconfig, server.embedded!.kubeconfig);
      const kubectl = async (...args: readonly string[]): Promise<string> =>
        (
          await promisify(execFile)("kubectl", [
            "--kubeconfig",
            kubeconfig,
            "-n",
            namespace,
            ...args,
          ])
        ).stdout.trim();
      const rolledOut = async (): Promise<void> =>
        assert.match(
          await kubectl("rollout", "status", "deployment/web", "--timeout=20s"),
          /successfully rolled out$/,
        );
      const image = (): Promise<string> =>
        kubectl(
          "get",
          "deployment",
          "web",
          "-o",
          "jsonpath={.spec.template.spec.containers[0].image}",
        );
      await kubectl("create", "deployment", "web", "--image=web:1", "--replicas=3");
      await rolledOut();
      await kubectl("set", "image", "deployment/web", "web=web:2");
      await rolledOut();
      assert.match(await kubectl("rollout", "history", "deployment/web"), /^1 .*\n2 /m);
      await kubectl("rollout", "undo", "deployment/web");
      await rolledOut();
      assert.equal(await image(), "web:1");
      await kubectl("rollout", "undo", "deployment/web", "--to-revision=2");
      await rolledOut();
      assert.equal(await image(), "web:2");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
