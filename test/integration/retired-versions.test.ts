// Bodies that state a version which is registered and no longer served, and kinds that they are
// not. Also runs on a real control plane.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isApiStatusError } from "homeostat/api";
import { Pod } from "homeostat/k8s/core/v1";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const mismatch = "does not match the expected API version (apps/v1)";

for (const what of serverKinds()) {
  describe(`bodies of retired versions, ${what} server`, () => {
    let server: TestServer;
    before(async () => void (server = await openServer(what)));
    after(() => server.close());

    /** Posts a body; returns the message of the refusal, undefined when it is accepted. */
    async function post(
      path: string,
      apiVersion: string,
      kind: string,
    ): Promise<string | undefined> {
      const client = await server.client();
      await client.create(Pod, {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      try {
        await client.request({
          method: "POST",
          path: path.replace("{namespace}", client.namespace),
          query: { dryRun: "All" },
          body: { apiVersion, kind, metadata: { name: "p" } },
        });
      } catch (error) {
        if (isApiStatusError(error)) return error.status.message;
        throw error;
      }
      return undefined;
    }

    it("are refused for their version when the kind is the endpoint's", async () => {
      const deployments = "/apis/apps/v1/namespaces/{namespace}/deployments";
      for (const apiVersion of ["apps/v1beta1", "extensions/v1beta1"])
        assert.equal(
          await post(deployments, apiVersion, "Deployment"),
          `the API version in the data (${apiVersion}) ${mismatch}`,
        );
      assert.equal(
        await post(deployments, "apps/v1beta1", "StatefulSet"),
        'StatefulSet in version "v1beta1" cannot be handled as a Deployment: converting (v1beta1.StatefulSet) to (apps.Deployment): unknown conversion',
      );
      assert.match(
        (await post(deployments, "apps/v1beta1", "DaemonSet")) ?? "",
        /^DaemonSet in version "v1beta1" cannot be handled as a Deployment: no kind "DaemonSet" is registered for version "apps\/v1beta1" in scheme /,
      );
    });

    it("are accepted for evictions", async () => {
      const eviction = "/api/v1/namespaces/{namespace}/pods/p/eviction";
      assert.equal(await post(eviction, "policy/v1beta1", "Eviction"), undefined);
      assert.match(
        (await post(eviction, "policy/v1beta2", "Eviction")) ?? "",
        /^Eviction in version "v1beta2" cannot be handled as a Eviction: no kind "Eviction"/,
      );
    });
  });
}
