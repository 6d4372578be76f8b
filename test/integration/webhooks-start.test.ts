// Webhooks whose start fails: what the log and the probes say meanwhile, and how the process ends.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { startApiServer } from "@homeostat/apiserver";
import { createManager, defineController } from "homeostat";
import { createClient } from "homeostat/client";
import { defineValidatingWebhook } from "homeostat/webhook";
import { intercept, recordLog } from "../fixtures/hear-manager.ts";
import { Box } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const program = fileURLToPath(new URL("../fixtures/webhooks-start/main.ts", import.meta.url));

async function runProgram(
  t: TestContext,
  kubeconfig: string,
): Promise<{ readonly code: number; readonly said: string }> {
  const folder = await mkdtemp(join(tmpdir(), "webhooks-start-"));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, "kubeconfig");
  await writeFile(path, kubeconfig);
  const child = spawn(process.execPath, ["--conditions=homeostat-source", program, path], {
    env: { ...process.env, HOMEOSTAT_LOG: "text" },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code] = (await once(child, "close")) as [number];
  return { code, said };
}

test("a server that is down is said at once, and ends the process with a reason", async (t) => {
  const server = await startApiServer({ controllers: "none" });
  await server.close();
  const { code, said } = await runProgram(t, server.kubeconfig);
  assert.equal(code, 1, said);
  assert.match(
    said,
    / warn +.*Secret.*: the first list is not complete: ERR_CLIENT_UNREACHABLE.*; not started: controller "box"/,
  );
  assert.match(said, /ERR_WEBHOOK_START: starting the webhooks of laws: .*Secret.*ECONNREFUSED/);
});

test("a token that the server does not know ends the process with a reason", async (t) => {
  const server = await startApiServer({ controllers: "none" });
  t.after(() => server.close());
  const kubeconfig = server.kubeconfig.replace(
    /^( *)user:\s*\n[\s\S]*?(?=^\S)/m,
    "$1user:\n$1  token: unknown\n",
  );
  assert.match(kubeconfig, /token: unknown/);
  const { code, said } = await runProgram(t, kubeconfig);
  assert.equal(code, 1, said);
  assert.match(said, / warn +.*Secret.*: the first list is not complete: .*Unauthorized/);
  assert.match(said, /ERR_WEBHOOK_START: .*Unauthorized/);
});

test("the probe names what webhooks wait for", async (t) => {
  const server = await startApiServer({ controllers: "none", listen: false });
  t.after(() => server.close());
  const client = createClient({ transport: server.transport() });
  intercept(t, client, (request) => (request.includes("/secrets") ? "forbid" : "pass"));
  const { lines, log } = recordLog();
  const manager = createManager({
    operator: "laws",
    controllers: [defineController(Box, { reconcile() {} })],
    client,
    log,
    syncTimeoutMs: 1500,
    webhooks: {
      serve: [defineValidatingWebhook(Box, { create() {} })],
      url: "https://127.0.0.1:1",
    },
  });
  const ran = manager.run();
  ran.catch(() => {});
  await until(() => manager.readiness().reasons.length > 1);
  const { ready, reasons } = manager.readiness();
  assert.equal(ready, false);
  assert.equal(reasons[0], "the manager has not started");
  await until(() => /webhooks: Secret: .*forbidden/.test(manager.readiness().reasons.join("; ")));
  await until(() => lines.some((line) => /^warn: Secret: .*forbidden/.test(line)));
  await assert.rejects(ran, /ERR_WEBHOOK_START.*Secret: .*forbidden/);
});
