// Subresources through the client: scale, eviction, token, binding and status. Runs on every
// server.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isTooManyRequests } from "homeostat/api";
import { type Client, evict, podLog } from "homeostat/client";
import { Deployment } from "homeostat/k8s/apps/v1";
import { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import { Pod, ServiceAccount } from "homeostat/k8s/core/v1";
import { PodDisruptionBudget } from "homeostat/k8s/policy/v1";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const labels = { app: "web" };
const containers = [{ name: "main", image: "example.com/web" }];
const scaled = { subresource: "scale" } as const;

for (const what of serverKinds()) {
  describe(`subresources on the ${what} server`, { timeout: 60_000 }, () => {
    let server: TestServer;
    let client: Client;
    before(async () => {
      server = await openServer(what);
      client = await server.client();
      await client.create(ServiceAccount, ServiceAccount("default"));
    });
    after(() => server.close());

    it("scale is read, updated, patched and applied with its own type", async () => {
      const template = { metadata: { labels }, spec: { containers } };
      const spec = { replicas: 2, selector: { matchLabels: labels }, template };
      await client.create(Deployment, Deployment("web", { spec }));
      const scale = await client.get(Deployment, "web", scaled);
      const count: number | undefined = scale.spec.replicas;
      assert.deepEqual(
        [scale.kind, count, scale.status],
        ["Scale", 2, { replicas: 0, selector: "app=web" }],
      );
      const updated = await client.update(Deployment, { ...scale, spec: { replicas: 3 } }, scaled);
      assert.equal(updated.spec.replicas, 3);
      const patch = { type: "merge", body: { spec: { replicas: 4 } } } as const;
      assert.equal((await client.patch(Deployment, "web", patch, scaled)).spec.replicas, 4);
      const wanted = { metadata: { name: "web" }, spec: { replicas: 5 } };
      const applied = await client.apply(Deployment, wanted, {
        ...scaled,
        force: true,
        fieldManager: "scaler",
      });
      assert.equal(applied.spec.replicas, 5);
      assert.equal((await client.get(Deployment, "web")).spec.replicas, 5);
      await assert.rejects(
        client.update(Deployment, { ...scale, spec: { replicas: 1 } }, scaled),
        /the object has been modified/,
      );
    });

    it("a token is requested for a service account", async () => {
      const { status } = await client.create(
        ServiceAccount,
        {
          metadata: { name: "default" },
          spec: { audiences: ["kitchen"], expirationSeconds: 3600 },
        },
        { subresource: "token" },
      );
      const claims = JSON.parse(Buffer.from(status.token.split(".")[1]!, "base64url").toString());
      assert.deepEqual(claims.aud, ["kitchen"]);
      assert.ok(Date.parse(status.expirationTimestamp) > Date.now());
    });

    it("a pod is bound, its log asked for, and evicted once its budget allows", async () => {
      await client.create(Pod, Pod({ name: "web", labels }, { spec: { containers } }));
      await assert.rejects(podLog(client, "web", { container: "other" }), /other/);
      const bound = await client.create(
        Pod,
        { metadata: { name: "web" }, target: { apiVersion: "v1", kind: "Node", name: "n1" } },
        { subresource: "binding" },
      );
      assert.equal(bound.status, "Success");
      assert.equal((await client.get(Pod, "web")).spec.nodeName, "n1");
      const running = {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: null }],
      };
      const body = { status: running };
      await client.patch(Pod, "web", { type: "merge", body }, { subresource: "status" });

      const budget = PodDisruptionBudget("web", {
        spec: { minAvailable: 1, selector: { matchLabels: labels } },
      });
      const { metadata } = await client.create(PodDisruptionBudget, budget);
      const allow = (disruptionsAllowed: number) =>
        client.patch(
          PodDisruptionBudget,
          "web",
          {
            type: "merge",
            body: {
              status: {
                disruptionsAllowed,
                currentHealthy: 1 + disruptionsAllowed,
                desiredHealthy: 1,
                expectedPods: 1 + disruptionsAllowed,
                observedGeneration: metadata.generation,
              },
            },
          },
          { subresource: "status" },
        );
      await allow(0);
      await assert.rejects(
        client.create(Pod, { metadata: { name: "web" } }, { subresource: "eviction" }),
        (error) => isTooManyRequests(error) && /disruption budget/.test(error.message),
      );
      const evicted = evict(client, "web", { retryMs: 50, gracePeriodSeconds: 0 });
      await allow(1);
      assert.equal(await evicted, true);
      assert.equal(await client.find(Pod, "web"), undefined);
      assert.equal(await evict(client, "web"), false);
    });

    it("an approval takes the object", async () => {
      await assert.rejects(
        client.update(
          CertificateSigningRequest,
          CertificateSigningRequest("missing", {
            spec: { request: "", signerName: "example.com/signer", usages: [] },
          }),
          { subresource: "approval" },
        ),
        /certificatesigningrequests\.certificates\.k8s\.io "missing" not found/,
      );
    });
  });
}
