import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mock, test } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { createClient, dynamicKind, loadKubeconfig } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { main } from "./main.ts";

async function run(...argv: readonly string[]): Promise<{ code: number; out: string }> {
  let out = "";
  const write = mock.method(process.stdout, "write", (chunk: string | Uint8Array) => {
    out += String(chunk);
    return true;
  });
  try {
    return { code: await main(["storage-versions", ...argv]), out };
  } finally {
    write.mock.restore();
  }
}

const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
});
const Post = dynamicKind({
  apiVersion: "x.io/v1",
  kind: "Post",
  resource: "posts",
  scope: "Namespaced",
});

test("says which objects may lie in an old version, and rewrites them", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "storage-versions-"));
  const kubeconfigPath = join(home, "kubeconfig");
  const server = await startApiServer({ kubeconfigPath, controllers: "none" });
  const client = createClient({ access: await loadKubeconfig({ path: kubeconfigPath }) });
  t.after(async () => {
    await client.close();
    await server.close();
    rmSync(home, { recursive: true });
  });
  const at = ["--kubeconfig", kubeconfigPath];
  await client.create(CustomResourceDefinition, {
    metadata: { name: "posts.x.io" },
    spec: {
      group: "x.io",
      scope: "Namespaced",
      names: { plural: "posts", kind: "Post" },
      versions: [version("v1", true), version("v2", false)],
    },
  } as never);
  for (let i = 0; i < 200; i++) {
    const served = await client.listPage(Post).catch(() => undefined);
    if (served) break;
    await new Promise((done) => setTimeout(done, 10));
  }
  const create = (name: string) =>
    client.create(Post, { metadata: { name, namespace: "default" } } as never);
  await create("a");
  const nothing = "No definition lists a version other than its storage version.\n";
  assert.deepEqual(await run(...at), { code: 0, out: nothing });

  await client.patch(CustomResourceDefinition, "posts.x.io", {
    type: "merge",
    body: { spec: { versions: [version("v1", false), version("v2", true)] } },
  });
  assert.deepEqual(await run(...at), {
    code: 0,
    out: "posts.x.io: stored as v2; up to 1 object may still lie in v1\n",
  });
  await create("b");
  assert.deepEqual(await run(...at), {
    code: 0,
    out: "posts.x.io: stored as v2; up to 2 objects may still lie in v1\n",
  });
  const before = await client.get(Post, { name: "a", namespace: "default" });
  const { out } = await run(...at, "--migrate", "--output", "json");
  assert.deepEqual(JSON.parse(out), {
    definitions: [
      {
        name: "posts.x.io",
        storageVersion: "v2",
        oldVersions: ["v1"],
        objects: 2,
        migrated: true,
      },
    ],
  });
  const after = await client.get(Post, { name: "a", namespace: "default" });
  assert.notEqual(after.metadata.resourceVersion, before.metadata.resourceVersion);
  const { status } = await client.get(CustomResourceDefinition, "posts.x.io");
  assert.deepEqual(status?.storedVersions, ["v2"]);
  assert.equal((await run(...at)).out, nothing);
});

test("wrong usage ends with 2", async () => {
  const stderr = mock.method(process.stderr, "write", () => true);
  assert.equal((await run("--output", "xml")).code, 2);
  stderr.mock.restore();
});

test("a server that refuses or is away is one message, without a stack", async (t) => {
  const home = mkdtempSync(join(tmpdir(), "storage-versions-"));
  const kubeconfigPath = join(home, "kubeconfig");
  const server = await startApiServer({ kubeconfigPath, controllers: "none" });
  const err: string[] = [];
  const write = mock.method(process.stderr, "write", (chunk: string | Uint8Array) => {
    err.push(String(chunk));
    return true;
  });
  t.after(async () => {
    write.mock.restore();
    await server.close();
    rmSync(home, { recursive: true });
  });
  const text = readFileSync(kubeconfigPath, "utf8");
  writeFileSync(kubeconfigPath, text.replace(/token: .*/, "token: wrong"));
  assert.equal((await run("--kubeconfig", kubeconfigPath)).code, 1);
  await server.close();
  assert.equal((await run("--kubeconfig", kubeconfigPath)).code, 1);
  const [refused, away] = err;
  assert.match(refused!, /^homeostat: GET \/apis\/apiextensions.* at https:.*: Unauthorized .*\n$/);
  assert.match(away!, /^homeostat: ERR_CLIENT_UNREACHABLE: .*\n {2}Nothing listens there: .*\n$/);
});
