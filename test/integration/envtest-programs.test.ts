// The programs that replace envtest's control plane, started and stopped as envtest does: help,
// flags, health checks without credentials, a client certificate, SIGTERM. They do not outlive the
// test.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import {
  createAuthority,
  issueClientCertificate,
  issueServingCertificate,
} from "homeostat/certificates";
import { createSystemRuntime } from "homeostat/runtime";
import { freePort, freePorts } from "../fixtures/free-port.ts";

const bin = fileURLToPath(new URL("../../packages/cli/bin/homeostat.js", import.meta.url));
const unsupported = process.platform === "win32" ? "shell scripts" : false;

describe("envtest's programs", { timeout: 60_000, skip: unsupported }, () => {
  const folder = mkdtempSync(join(tmpdir(), "envtest-programs-"));
  const assets = join(folder, "assets");
  const started: ChildProcess[] = [];
  const runtime = createSystemRuntime();
  const [servingCa, clientCa] = [
    createAuthority({ runtime }),
    createAuthority({ runtime, commonName: "clients" }),
  ];
  const clientOf = (authority: typeof clientCa) =>
    issueClientCertificate(authority, { runtime, user: "admin", groups: ["system:masters"] });

  before(() => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bin, "server", "envtest", "install", assets],
      { encoding: "utf8" },
    );
    assert.equal(status, 0, stderr);
    assert.match(stdout, new RegExp(`KUBEBUILDER_ASSETS=${assets} go test`));
    const serving = issueServingCertificate(servingCa, {
      runtime,
      names: ["localhost"],
      addresses: ["127.0.0.1"],
    });
    for (const [name, text] of [
      ["apiserver.crt", serving.cert],
      ["apiserver.key", serving.key],
      ["client-cert-auth-ca.crt", clientCa.cert],
    ] as const)
      writeFileSync(join(folder, name), text);
  });
  after(() => {
    for (const child of started) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  const start = (program: string, ...args: readonly string[]): ChildProcess => {
    const child = spawn(join(assets, program), args, {
      stdio: ["ignore", "ignore", "inherit"],
      detached: true,
    });
    started.push(child);
    return child;
  };
  const apiServerArgs = (port: number): readonly string[] => [
    "--allow-privileged=true",
    "--authorization-mode=RBAC",
    "--bind-address=127.0.0.1",
    `--cert-dir=${folder}`,
    `--client-ca-file=${join(folder, "client-cert-auth-ca.crt")}`,
    "--disable-admission-plugins=ServiceAccount",
    "--etcd-servers=http://127.0.0.1:1",
    `--secure-port=${port}`,
    "--service-cluster-ip-range=10.0.0.0/24",
  ];

  test("are executable, and show their help", () => {
    for (const [program, flag] of [
      ["etcd", "--listen-client-urls"],
      ["kube-apiserver", "--secure-port"],
    ] as const) {
      assert.equal(statSync(join(assets, program)).mode & 0o111, 0o111);
      const { status, stdout } = spawnSync(join(assets, program), ["--help"], {
        encoding: "utf8",
        env: { ...process.env, NODE_OPTIONS: "" },
      });
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`^ +${flag}`, "m"));
    }
  });

  test("etcd is healthy, refuses requests that need a store, and stops", async () => {
    const port = await freePort();
    const etcd = start(
      "etcd",
      `--advertise-client-urls=http://127.0.0.1:${port}`,
      `--data-dir=${folder}`,
      `--listen-client-urls=http://127.0.0.1:${port}`,
      "--unsafe-no-fsync=true",
    );
    assert.deepEqual(await untilAnswered(() => get(http, `http://127.0.0.1:${port}/health`)), {
      status: 200,
      text: '{"health":"true","reason":""}',
    });
    assert.equal((await get(http, `http://127.0.0.1:${port}/v3/kv/range`)).status, 501);
    process.kill(-etcd.pid!, "SIGTERM");
    assert.deepEqual(await once(etcd, "exit"), [0, null]);
  });

  test("kube-apiserver trusts only its client authority, shares nothing, and stops", async () => {
    const [a, b] = (await freePorts(2)) as [number, number];
    const servers = [
      start("kube-apiserver", ...apiServerArgs(a)),
      start("kube-apiserver", ...apiServerArgs(b)),
    ];
    const ca = servingCa.cert;
    for (const port of [a, b])
      assert.deepEqual(
        await untilAnswered(() => get(https, `https://127.0.0.1:${port}/healthz`, { ca })),
        { status: 200, text: "ok" },
      );
    const space = (port: number) =>
      `https://127.0.0.1:${port}/api/v1/namespaces/default/configmaps`;
    const admin = { ca, ...clientOf(clientCa) };
    const created = await get(
      https,
      space(a),
      { ...admin, method: "POST", headers: { "content-type": "application/json" } },
      '{"metadata":{"name":"mine"}}',
    );
    assert.equal(created.status, 201, created.text);
    assert.equal((await get(https, `${space(a)}/mine`, admin)).status, 200);
    assert.equal((await get(https, `${space(b)}/mine`, admin)).status, 404);
    assert.equal((await get(https, space(a), { ca, ...clientOf(servingCa) })).status, 401);
    assert.equal((await get(https, space(a), { ca })).status, 403);
    for (const server of servers) process.kill(-server.pid!, "SIGTERM");
    assert.deepEqual(await Promise.all(servers.map((server) => once(server, "exit"))), [
      [0, null],
      [0, null],
    ]);
  });

  test("neither outlives its parent process", async () => {
    const [etcdPort, port] = (await freePorts(2)) as [number, number];
    const words = (list: readonly string[]): string => list.map((word) => `'${word}'`).join(" ");
    const script = `${words([join(assets, "etcd"), `--listen-client-urls=http://127.0.0.1:${etcdPort}`])} & ${words([join(assets, "kube-apiserver"), ...apiServerArgs(port)])} 2>/dev/null & wait`;
    const shell = spawn("/bin/sh", ["-c", script], { stdio: "ignore" });
    started.push(shell);
    await untilAnswered(() =>
      get(https, `https://127.0.0.1:${port}/healthz`, { ca: servingCa.cert }),
    );
    await untilAnswered(() => get(http, `http://127.0.0.1:${etcdPort}/health`));
    shell.kill("SIGKILL");
    await untilRefused(() =>
      get(https, `https://127.0.0.1:${port}/healthz`, { ca: servingCa.cert }),
    );
    await untilRefused(() => get(http, `http://127.0.0.1:${etcdPort}/health`));
  });
});

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
}

async function get(
  via: typeof http | typeof https,
  url: string,
  options: https.RequestOptions = {},
  body?: string,
): Promise<Answer> {
  const request = (via as typeof https).request(url, { agent: false, ...options });
  request.end(body);
  const [response] = (await once(request, "response")) as [http.IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks every 50 ms, 20 s long, as envtest's poll does. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let i = 0; ; i++) {
    try {
      return await ask();
    } catch (error) {
      if (i === 400) throw error;
      await pause(50);
    }
  }
}

async function untilRefused(ask: () => Promise<Answer>): Promise<void> {
  for (let i = 0; i < 200; i++) {
    try {
      await ask();
    } catch {
      return;
    }
    await pause(50);
  }
  assert.fail("still answering 10 s after its parent died");
}
