// A kind whose definition is replaced by another one, also while the server is out of reach.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import {
  all,
  createManager,
  defineController,
  defineResource,
  installDefinitions,
  type ReconcileLog,
  toCustomResourceDefinition,
} from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { isNotFound, type Kind } from "homeostat/api";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import * as z from "zod";
import { openFaultProxy } from "../fixtures/fault-proxy.ts";
import { Box, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const group = "come.example.com";
const tool = { group, version: "v1", kind: "Tool", spec: z.object({ size: z.int() }) } as const;
const ToolV1 = defineResource(tool);
const ToolV2 = defineResource({ ...tool, version: "v2" });
const ClusterTool = defineResource({ ...tool, scope: "Cluster" });
/** As a program knows a kind that it finds at run time. */
const unstructured = {
  apiVersion: `${group}/v1`,
  kind: "Tool",
  resource: "tools",
  scope: "Namespaced",
} as Kind;
const definition = "tools.come.example.com";

/** A manager behind a proxy that watches all tools, and what its log says of them. */
async function arrange() {
  const server = await startApiServer({ controllers: "none" });
  const access = await loadKubeconfig({ text: server.kubeconfig });
  const admin = createClient({ access });
  await installDefinitions(admin, [Box, ToolV1]);
  const proxy = await openFaultProxy(server.url);
  const client = createClient({ access: { ...access, server: proxy.url } });
  const said: string[] = [];
  const say = (message: string): void => void (message.includes("Tool") && said.push(message));
  const log: ReconcileLog = { debug() {}, info: say, warn: say, error: say };
  const seen = { now: "" };
  const controller = defineController(Box, {
    watches: { tools: all(unstructured) },
    reconcile({ watches }) {
      const { tools } = watches as unknown as {
        tools: readonly { metadata: { name: string } }[];
      };
      seen.now = tools.map(({ metadata }) => metadata.name).join();
    },
  });
  const manager = createManager({ operator: "replaced", controllers: [controller], client, log });
  await admin.create(Box, Box("b", {}));
  await admin.create(ToolV1, ToolV1("old", { size: 1 }));
  await manager.start();
  const sees = (names: string) => until(() => seen.now === names, { timeoutMs: 15_000 });
  await sees("old");
  said.length = 0;
  return {
    admin,
    manager,
    proxy,
    said,
    sees,
    stats: () => manager.cacheStats().find(({ kind }) => kind.kind === "Tool")!,
    async close() {
      await manager.stop();
      await Promise.all([admin.close(), client.close()]);
      await proxy.close();
      await server.close();
    },
  };
}

type Arranged = Awaited<ReturnType<typeof arrange>>;

async function remove({ admin }: Arranged): Promise<void> {
  await admin.delete(CustomResourceDefinition, definition);
  await until(async () => !(await admin.find(CustomResourceDefinition, definition)));
}

/** A version that is not served yet. */
function absent(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

/** Runs `test`, and closes what was opened. */
async function withTools(test: (arranged: Arranged) => Promise<void>): Promise<void> {
  const arranged = await arrange();
  try {
    await test(arranged);
  } finally {
    await arranged.close();
  }
}

describe("a definition that is replaced", { timeout: 120_000 }, () => {
  it("is dropped while the server is out of reach; its absence is said once", () =>
    withTools(async (arranged) => {
      const { manager, proxy, said, sees, stats, admin } = arranged;
      assert.ok(stats().bytes > 0);
      await proxy.goAway();
      await remove(arranged);
      await proxy.restore();
      await sees("");
      const { objects, bytes } = stats();
      assert.deepEqual({ objects, bytes }, { objects: 0, bytes: 0 });
      const problem = "the server does not serve come.example.com/v1 Tool";
      await until(() => said.some((line) => line.includes(problem)));
      await sleep(3000);
      assert.equal(said.filter((line) => line.includes(problem)).length, 1, said.join("\n"));
      const reasons = manager.readiness().reasons.filter((reason) => reason.includes("Tool"));
      assert.equal(reasons.length, 1);
      assert.ok(reasons[0]!.startsWith(`Tool: ${problem}`), reasons[0]);
      await installDefinitions(admin, [ToolV1]);
      await admin.create(ToolV1, ToolV1("new", { size: 2 }));
      await sees("new");
      assert.equal(manager.readiness().ready, true);
      await until(() => /Tool.*: up to date with the server again/.test(said.join("\n")));
    }));

  it("is read anew when another storage version replaces it unseen", () =>
    withTools(async (arranged) => {
      const { admin, proxy, sees } = arranged;
      await proxy.goAway();
      await remove(arranged);
      const storedAsV2 = toCustomResourceDefinition(ToolV2, ToolV1);
      await admin.apply(CustomResourceDefinition, storedAsV2 as never, { force: true });
      await until(() => admin.create(ToolV2, ToolV2("second", { size: 2 })).catch(absent));
      await proxy.restore();
      await sees("second");
      await admin.create(ToolV1, ToolV1("third", { size: 3 }));
      await sees("second,third");
    }));

  it("is read anew when another scope replaces it, seen or unseen", () =>
    withTools(async (arranged) => {
      const { admin, proxy, sees } = arranged;
      await remove(arranged);
      await sees("");
      await installDefinitions(admin, [ClusterTool]);
      await admin.create(ClusterTool, ClusterTool("wide", { size: 2 }));
      await sees("wide");
      await proxy.goAway();
      await remove(arranged);
      await installDefinitions(admin, [ToolV1]);
      await admin.create(ToolV1, ToolV1("narrow", { size: 3 }));
      await proxy.restore();
      await sees("narrow");
    }));
});
