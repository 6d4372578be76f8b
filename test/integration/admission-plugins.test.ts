// Admission plug-ins over HTTP: what they refuse, what they fill in, and their warnings.
// Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isApiStatusError, type Status } from "homeostat/api";
import { LimitRange, Namespace, Pod, type PodManifest, type PodSpec } from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const podOf = (name: string, spec: Partial<PodSpec> = {}): PodManifest =>
  Pod({ name }, { spec: { containers: [{ name: "c", image: "i" }], ...spec } });

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
    before(async () => void (server = await openServer(what)));
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
  });
