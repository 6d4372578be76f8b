// Who the client is: impersonation on every server; plug-ins and renewed certificates on the
// embedded server over HTTPS.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { isForbidden } from "homeostat/api";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { SelfSubjectReview } from "homeostat/k8s/authentication/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { createVirtualRuntime } from "homeostat/runtime";
import { openServer, serverKinds, type TestServer } from "../fixtures/with-server.ts";

const whoIs = async (client: Client) =>
  (await client.create(SelfSubjectReview, SelfSubjectReview({}))).status.userInfo!;

for (const what of serverKinds()) {
  describe(`impersonation on the ${what} server`, { timeout: 30_000 }, () => {
    let server: TestServer;
    before(async () => {
      server = await openServer(what);
    });
    after(() => server.close());

    it("makes the client another user", async () => {
      const impersonate = {
        user: "boss",
        uid: "u-7",
        groups: ["staff", "cooks"],
        extra: { "example.com/Scopes": ["read", "write"] },
      };
      const client = await server.client({ impersonate });
      const { username, uid, groups, extra } = await whoIs(client);
      assert.deepEqual(
        [username, uid, groups, extra],
        [
          "boss",
          "u-7",
          ["staff", "cooks", "system:authenticated"],
          { "example.com/scopes": ["read", "write"] },
        ],
      );
      await assert.rejects(client.list(ConfigMap), isForbidden);
      const other = client.with({ impersonate: { user: "cook" } });
      const [cook, watched] = [await whoIs(other), other.watch(ConfigMap)[Symbol.asyncIterator]()];
      assert.deepEqual([cook.username, cook.uid], ["cook", undefined]);
      await assert.rejects(watched.next(), /User "cook" cannot watch/);
    });
  });
}

describe("identities that change", { timeout: 30_000 }, () => {
  let server: ApiServer;
  let folder: string;
  before(async () => {
    server = await startApiServer({ clientCertificates: true, controllers: "none" });
    folder = await mkdtemp(join(tmpdir(), "identity-"));
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /** A kubeconfig of the server's cluster with another user. */
  async function load(user: object) {
    const { parse, stringify } = await import("yaml");
    const config = parse(server.kubeconfig);
    config.users[0].user = user;
    const path = join(folder, "kubeconfig");
    await writeFile(path, stringify(config));
    return loadKubeconfig({ path });
  }

  it("certificates are read again from their files", async () => {
    const issue = async (user: string): Promise<void> => {
      const { cert, key } = await server.issueClientCertificate(user);
      await writeFile(join(folder, "tls.crt"), cert);
      await writeFile(join(folder, "tls.key"), key);
    };
    await issue("ada");
    const runtime = createVirtualRuntime();
    const access = await load({ "client-certificate": "tls.crt", "client-key": "tls.key" });
    const client = createClient({ access, runtime });
    assert.equal((await whoIs(client)).username, "ada");
    await issue("bob");
    assert.equal((await whoIs(client)).username, "ada", "not before five minutes");
    await runtime.advance(5 * 60_000);
    assert.equal((await whoIs(client)).username, "bob");
    await client.close();
  });

  it("a plug-in's certificate is used, and replaced when it expires", async () => {
    for (const user of ["ada", "bob"]) {
      const { cert, key } = await server.issueClientCertificate(user);
      await writeFile(
        join(folder, `${user}.json`),
        JSON.stringify({
          kind: "ExecCredential",
          apiVersion: "client.authentication.k8s.io/v1",
          status: {
            clientCertificateData: cert,
            clientKeyData: key,
            expirationTimestamp: user === "ada" ? "2026-01-01T01:00:00Z" : "2036-01-01T00:00:00Z",
          },
        }),
      );
    }
    const plugin = join(folder, "plugin.mjs");
    await writeFile(
      plugin,
      `import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [folder] = process.argv.slice(2);
const { spec } = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
if (!spec.cluster.server.startsWith("https:") || spec.interactive) process.exit(1);
const user = existsSync(folder + "/ran") ? "bob" : "ada";
writeFileSync(folder + "/ran", "");
process.stdout.write(readFileSync(folder + "/" + user + ".json"));
`,
    );
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1",
      command: process.execPath,
      args: [plugin, folder],
      interactiveMode: "Never",
      provideClusterInfo: true,
    };
    const runtime = createVirtualRuntime({ startMs: Date.parse("2026-01-01T00:00:00Z") });
    const client = createClient({ access: await load({ exec }), runtime });
    assert.deepEqual(
      (await Promise.all([whoIs(client), whoIs(client)])).map(({ username }) => username),
      ["ada", "ada"],
    );
    await runtime.advance(3_600_001);
    assert.equal((await whoIs(client)).username, "bob");
    await client.close();
  });
});
