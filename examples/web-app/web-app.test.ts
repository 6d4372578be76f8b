// Tests of the example: in the test process, and as a user runs it, with kubectl over HTTPS. Fake
// nodes run the pods.
import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { testCluster, type TestCluster } from "@homeostat/testing";
import { isStatusConditionTrue, type ObjectOf } from "homeostat/api";
import { Deployment } from "homeostat/k8s/apps/v1";
import { ConfigMap, Pod, Secret, Service } from "homeostat/k8s/core/v1";
import { Dashboard } from "./resources/dashboard.ts";
import { WebApp } from "./resources/web-app.ts";
import { controllers, operator, resources } from "./web.ts";

const openCluster = (): Promise<TestCluster> =>
  testCluster({ operator, resources, controllers, controlPlane: "all", fakeNodes: 1 });
const isReady = ({ status }: ObjectOf<typeof WebApp>): boolean =>
  isStatusConditionTrue(status.conditions, "Ready");
const podsOf = async ({ client }: TestCluster): Promise<string[]> =>
  (await client.list(Pod)).items.map(({ metadata }) => metadata.name).toSorted();

describe("web applications", { timeout: 60_000 }, () => {
  test("an application gets its pods, its settings and an address", async () => {
    await using cluster = await openCluster();
    const { client } = cluster;
    const settings = { CURRENCY: "EUR" };
    await client.apply(WebApp, WebApp("shop", { image: "shop:1", replicas: 2, settings }));
    const app = await cluster.eventually(WebApp, "shop", isReady);
    assert.equal(app.status.readyReplicas, 2);
    assert.equal(app.status.url, "http://shop.default.svc");
    assert.deepEqual((await client.get(ConfigMap, "shop")).data, settings);
    const { spec } = await client.get(Service, "shop");
    assert.deepEqual([spec.ports?.[0]?.port, spec.ports?.[0]?.targetPort], [80, 8080]);
    await cluster.settle();
    const { resourceVersion } = (await client.get(Deployment, "shop")).metadata;
    await client.patch(WebApp, "shop", {
      type: "merge",
      body: { metadata: { labels: { a: "b" } } },
    });
    await cluster.settle();
    const after = (await client.get(Deployment, "shop")).metadata.resourceVersion;
    assert.equal(after, resourceVersion, "a reconcile without a difference writes nothing");
  });

  test("the pods restart when the Secret changes, and only then", async () => {
    await using cluster = await openCluster();
    const { client } = cluster;
    await client.apply(WebApp, WebApp("shop", { image: "shop:1", secret: "keys" }));
    await cluster.settle();
    assert.deepEqual(cluster.states()[0]?.progress, { at: "waiting", what: 'Secret "keys"' });
    assert.deepEqual(await podsOf(cluster), []);
    await client.apply(Secret, Secret("keys", { stringData: { A: "1", B: "2" } }));
    await cluster.eventually(WebApp, "shop", isReady);
    await cluster.settle();
    const pods = await podsOf(cluster);
    await client.apply(
      Secret,
      Secret({ name: "keys", labels: { new: "label" } }, { stringData: { B: "2", A: "1" } }),
    );
    await cluster.settle();
    assert.deepEqual(await podsOf(cluster), pods);
    await client.apply(Secret, Secret("keys", { stringData: { A: "9", B: "2" } }));
    await until(async () => !(await podsOf(cluster)).includes(pods[0]!));
    const app = await cluster.eventually(WebApp, "shop", isReady);
    assert.equal(app.status.readyReplicas, 1);
  });

  test("a dashboard follows all applications of its namespace, and heals", async () => {
    await using cluster = await openCluster();
    const { client } = cluster;
    const textOf = (map: ConfigMap): string => map.data?.["apps.txt"] ?? "";
    await client.apply(Dashboard, Dashboard("apps", { title: "Everything" }));
    await client.apply(WebApp, WebApp("shop", { image: "shop:1" }));
    await client.apply(WebApp, WebApp("blog", { image: "blog:1", secret: "none" }));
    const text = `Everything\n\nblog: blog:1, waits for Secret none\nshop: shop:1, 1 of 1 pods are ready\n`;
    const before = await cluster.eventually(ConfigMap, "apps", (map) => textOf(map) === text);
    await cluster.eventually(Dashboard, "apps", ({ status }) => status.ready === 1);
    await client.delete(ConfigMap, "apps");
    await cluster.eventually(
      ConfigMap,
      "apps",
      (map) => textOf(map) === text && map.metadata.uid !== before.metadata.uid,
    );
    await client.delete(WebApp, "blog");
    await cluster.eventually(ConfigMap, "apps", (map) => !textOf(map).includes("blog"));
    await client.delete(Dashboard, "apps");
    await until(async () => !(await client.find(ConfigMap, "apps")));
  });

  test("names that no Service can have are refused", async () => {
    await using cluster = await testCluster({ resources });
    for (const name of ["1shop", "s".repeat(51)])
      await assert.rejects(cluster.client.apply(WebApp, WebApp(name, { image: "a" })), /name/);
  });
});

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;

describe("with kubectl", { timeout: 90_000, skip: !hasKubectl && "kubectl is missing" }, () => {
  const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), "web-app-"));
  const env = { ...process.env, KUBECONFIG: join(folder, ".homeostat", "kubeconfig") };
  const kubectl = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)("kubectl", args, { env })).stdout;

  test("main.ts serves the applications of the manifest", async () => {
    const runner = file("../../tools/run.mjs");
    const operator = spawn(process.execPath, [runner, file("main.ts"), "--embedded"], {
      cwd: folder,
      env: { ...process.env, NODE_OPTIONS: "" },
    });
    const ended = once(operator, "close");
    try {
      await once(operator.stdout, "data");
      await kubectl("apply", "-f", file("manifests/shop.yaml"));
      await kubectl("wait", "--for=condition=Ready", "--timeout=30s", "webapp/shop", "webapp/blog");
      assert.match(await kubectl("get", "webapps"), /^shop +example.com\/shop:1 +2 +True /m);
      await kubectl("wait", "--for=jsonpath={.status.ready}=2", "--timeout=30s", "dashboard/apps");
      await kubectl("delete", "configmap", "apps");
      await until(async () => (await kubectl("get", "configmaps")).includes("apps "));
      assert.match(await kubectl("get", "configmap", "apps", "-o", "yaml"), /shop: .*2 of 2 pods/);

      const pods = await kubectl("get", "pods", "-o", "name");
      const password = JSON.stringify({ stringData: { PASSWORD: "sardine" } });
      await kubectl("patch", "secret", "shop-database", "--patch", password);
      const [old] = pods.split("\n").filter((name) => name.includes("shop"));
      await kubectl("wait", "--for=delete", "--timeout=30s", old!);
      await kubectl("rollout", "status", "--timeout=30s", "deployment/shop");
      await kubectl("wait", "--for=condition=Ready", "--timeout=30s", "webapp/shop");
    } finally {
      operator.kill();
      const [code] = await ended;
      rmSync(folder, { recursive: true });
      assert.equal(code, 0);
    }
  });
});

async function until(test: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 15_000; !(await test());) {
    assert.ok(performance.now() < end, `it never happened: ${test.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
