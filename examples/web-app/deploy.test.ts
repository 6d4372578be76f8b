// The manifests of deploy/: they are those of the code, the server takes them without a warning,
// and the operator runs on their rights alone.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type AuditEvent, startApiServer } from "@homeostat/apiserver";
import { createManager, silentLog } from "homeostat";
import { isStatusConditionTrue, type JsonObject } from "homeostat/api";
import { createClient } from "homeostat/client";
import { Secret } from "homeostat/k8s/core/v1";
import { parseAllDocuments } from "yaml";
import { Dashboard } from "./resources/dashboard.ts";
import { WebApp } from "./resources/web-app.ts";
import { controllers, operator } from "./web.ts";

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

test("the manifests are those that the code asks for", () => {
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      file("../../packages/cli/bin/homeostat.js"),
      ...["generate", file("web.ts"), "--image", "web:1"],
      ...["--output-dir", file("deploy"), "--check"],
    ],
    { encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
});

test("the operator runs on the rights of its manifests", { timeout: 60_000 }, async (t) => {
  const name = "system:serviceaccount:web-system:web";
  const server = await startApiServer({
    listen: false,
    controllers: "all",
    fakeNodes: 1,
    audit: { policy: { rules: [{ level: "Metadata", users: [name] }] } },
  });
  t.after(() => server.close());
  const events: AuditEvent[] = [];
  server.audit!.subscribe((event) => events.push(event));
  const warned: string[] = [];
  const admin = createClient({ transport: server.transport(), fieldManager: "admin" }).with({
    warned: (text) => void warned.push(text),
  });
  const documents = ["deploy/crds.yaml", "deploy/operator.yaml"].flatMap((path) =>
    parseAllDocuments(readFileSync(file(path), "utf8")).map((one) => one.toJS() as JsonObject),
  );
  for (const document of documents)
    await admin.apply(
      await admin.kinds.byKind(String(document["apiVersion"]), String(document["kind"])),
      document as never,
    );
  assert.deepEqual(warned, []);

  const groups = [
    "system:serviceaccounts",
    "system:serviceaccounts:web-system",
    "system:authenticated",
  ];
  const client = createClient({
    transport: server.transport({ name, groups }),
    fieldManager: operator,
  });
  const manager = createManager({ operator, controllers, client, log: silentLog });
  t.after(() => manager.stop());
  await manager.start();
  await admin.create(Secret, Secret("keys", { stringData: { A: "1" } }));
  await admin.create(WebApp, WebApp("shop", { image: "shop:1", secret: "keys" }));
  await admin.create(Dashboard, Dashboard("all", { title: "All" }));
  const isReady = async (): Promise<boolean> =>
    isStatusConditionTrue((await admin.get(WebApp, "shop")).status.conditions, "Ready") &&
    (await admin.get(Dashboard, "all")).status.ready === 1;
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 50));
  const refused = events.filter(({ responseStatus }) => responseStatus?.code === 403);
  assert.deepEqual(
    refused.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
    [],
  );
});
