// Admission plug-ins over HTTP: what they refuse, what they fill in, and their warnings.
// Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isApiStatusError, type Status } from "homeostat/api";
import {
  ConfigMap,
  LimitRange,
  Namespace,
  Pod,
  type PodManifest,
  type PodSpec,
  ResourceQuota,
} from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const podOf = (name: string, spec: Partial<PodSpec> = {}): PodManifest =>
  Pod({ name }, { spec: { containers: [{ name: "c", image: "i" }], ...spec } });

const controllers = ["resourcequota"];

/** The refusal of a write. */
async function refusal(write: Promise<unknown>): Promise<Status | undefined> {
  try {
    await write;
    return undefined;
  } catch (error) {
    if (isApiStatusError(error)) return error.status;
    throw error;
  }
}

for (const what of serverKinds())
  describe(`admission plug-ins, ${what} server`, { concurrency: true, timeout: 120_000 }, () => {
    let server: TestServer;
    before(async () => void (server = await openServer(what, { controllers })));
    after(() => server.close());

    it("limits: fills in what containers lack, and refuses what exceeds the bounds", async () => {
      const client = await server.client();
      const max = { memory: "512Mi" };
      await client.create(
        LimitRange,
        LimitRange("r", { spec: { limits: [{ type: "Container", max }] } }),
      );
      const limited = (): Promise<Pod> => client.create(Pod, podOf("a"), { dryRun: "All" });
      await until(async () => (await limited()).spec.containers[0]?.resources?.limits);
      assert.deepEqual((await limited()).metadata.annotations, {
        "kubernetes.io/limit-ranger":
          "LimitRanger plugin set: memory request for container c; memory limit for container c",
      });
      const resources = { limits: { memory: "1Gi" } };
      const containers = [{ name: "c", image: "i", resources }];
      const refused = await refusal(client.create(Pod, podOf("b", { containers })));
      assert.equal(
        refused?.message,
        'pods "b" is forbidden: maximum memory usage per Container is 512Mi, but limit is 1Gi',
      );
    });

    it("pod security: refuses pods that violate the namespace's policy", async () => {
      const client = await server.client();
      const label = (level: string): Promise<unknown> =>
        client.patch(Namespace, client.namespace!, {
          type: "merge",
          body: { metadata: { labels: { "pod-security.kubernetes.io/enforce": level } } },
        });
      const create = (): Promise<Status | undefined> =>
        refusal(client.create(Pod, podOf("a", { hostPID: true }), { dryRun: "All" }));
      assert.equal((await refusal(label("high")))?.code, 422);
      await label("baseline");
      await until(create);
      assert.deepEqual(
        [(await create())?.code, (await create())?.message],
        [
          403,
          'pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostPID=true)',
        ],
      );
      await label("privileged");
      await until(async () => (await create()) === undefined);
    });

    it("quotas: concurrent creates never exceed one, and deletes release what was used", async () => {
      const client = await server.client();
      const hard = { "count/configmaps": "8" };
      await client.create(ResourceQuota, ResourceQuota("q", { spec: { hard } }));
      const used = async (): Promise<string | undefined> =>
        (await client.get(ResourceQuota, "q")).status?.used?.["count/configmaps"];
      await until(async () => (await used()) !== undefined);
      const before = Number(await used());
      const names = Array.from({ length: 30 }, (_, at) => `c${at}`);
      const create = (name: string, dryRun = false): Promise<Status | undefined> =>
        refusal(client.create(ConfigMap, ConfigMap(name), dryRun ? { dryRun: "All" } : {}));
      assert.equal(await create("dry", true), undefined);
      const refused = await Promise.all(names.map((name) => create(name)));
      const created = names.filter((_, at) => !refused[at]);
      assert.equal(created.length, 8 - before);
      assert.match(
        String(refused.find(Boolean)?.message),
        /^configmaps "c\d+" is forbidden: exceeded quota: q, requested: count\/configmaps=1, used: count\/configmaps=8, limited: count\/configmaps=8$/,
      );
      assert.equal(await used(), "8");
      await client.delete(ConfigMap, created[0]!);
      await until(async () => (await used()) === "7");
      assert.equal(await create("again"), undefined);
      assert.equal(await used(), "8");
    });
  });
