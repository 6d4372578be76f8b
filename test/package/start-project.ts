// Starts a new project as its README says, against a cluster that is not its own.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { startApiServer } from "@homeostat/apiserver";
import type { JsonObject } from "homeostat/api";
import { createClient } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { parseAllDocuments } from "yaml";
import { until } from "../fixtures/until.ts";
import { userEnvironment } from "./run-command.ts";

/** `npm start` leads without a namespace being configured, works, and stops when asked to. */
export async function startsOnServer(project: string): Promise<void> {
  const kubeconfigPath = join(project, "cluster.kubeconfig");
  const server = await startApiServer({ kubeconfigPath });
  try {
    const admin = createClient({ transport: server.transport(), fieldManager: "admin" });
    for (const one of parse(join(project, "manifests/crds.yaml"))) await apply(admin, one);
    const operator = spawn("npm", ["start"], {
      cwd: project,
      env: { ...userEnvironment(), KUBECONFIG: kubeconfigPath },
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
      detached: true,
    });
    const ended = once(operator, "close");
    let output = "";
    for (const stream of [operator.stdout, operator.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk));
    const look = { timeoutMs: 20_000, everyMs: 50 };
    await until(() => output.includes("leading as"), look).catch(() => assert.fail(output));
    for (const one of parse(join(project, "greeting.yaml"))) await apply(admin, one);
    await until(() => admin.find(ConfigMap, "hello"), look).catch(() => assert.fail(output));
    // As Ctrl-C in a terminal: the whole group, of which npm waits for the operator.
    process.kill(-operator.pid!, "SIGINT");
    await ended;
    assert.match(output, /released the Lease/);
  } finally {
    await server.close();
  }
}

const parse = (path: string): readonly JsonObject[] =>
  parseAllDocuments(readFileSync(path, "utf8")).map((one) => one.toJS() as JsonObject);

async function apply(admin: ReturnType<typeof createClient>, one: JsonObject): Promise<void> {
  const kind = await admin.kinds.byKind(String(one["apiVersion"]), String(one["kind"]));
  await until(() => admin.apply(kind, one as never).catch(() => false as const));
}
