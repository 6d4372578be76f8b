// Credentials that change while a client runs, and credentials that a server does not accept, on
// the embedded server over HTTPS.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { isUnauthorized } from "homeostat/api";
import { type ClusterAccess, createClient } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { createSystemRuntime } from "homeostat/runtime";
import { createCache } from "../../packages/homeostat/src/cache/index.ts";
import { accessTo, openServer, type TestServer } from "../fixtures/with-server.ts";

describe("credentials on a server that checks them", { timeout: 30_000 }, () => {
  let server: TestServer;
  let access: ClusterAccess;
  let folder: string;
  before(async () => {
    server = await openServer("https");
    access = await accessTo(server);
    folder = await mkdtemp(join(tmpdir(), "credentials-"));
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  /**
   * A client whose token file holds a token that the server refuses, which the client has read;
   * `rotate` writes the good one.
   */
  async function stale(
    name: string,
  ): Promise<{ readonly client: ReturnType<typeof createClient>; rotate(): Promise<void> }> {
    assert.ok(access.auth.type === "token");
    const { token } = access.auth;
    const path = join(folder, name);
    await writeFile(path, "worn-out");
    const client = createClient({ access: { ...access, auth: { type: "tokenFile", path } } });
    await assert.rejects(
      client.list(Namespace),
      (error) =>
        isUnauthorized(error) &&
        error.status.message === "Unauthorized" &&
        error.message.includes(access.server),
    );
    return { client, rotate: () => writeFile(path, token) };
  }

  it("a watch continues with a rotated token", async () => {
    const { client, rotate } = await stale("watch");
    await rotate();
    for await (const event of client.watch(Namespace)) {
      assert.equal(event.type, "ADDED");
      break;
    }
    await client.close();
  });

  it("an informer connects as soon as the token is rotated", async () => {
    const { client, rotate } = await stale("informer");
    const cache = createCache({ client, runtime: createSystemRuntime() });
    const { informer } = cache.acquire(Namespace);
    const refused = new Promise<void>(
      (resolve) =>
        void informer.onFreshness(
          ({ lastError }) => lastError?.includes("Unauthorized") && resolve(),
        ),
    );
    cache.start();
    await refused;
    await rotate();
    await cache.synced();
    assert.ok(informer.get({ name: "default" }));
    await cache.stop();
    await client.close();
  });
});
