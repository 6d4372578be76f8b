// `homeostat server` as a process: its output, its files, its exit codes.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const bin = fileURLToPath(new URL("../../packages/cli/bin/homeostat.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-command-"));
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

interface Running {
  readonly child: ChildProcess;
  /** The first line on stdout. */
  readonly line: string;
  readonly ended: Promise<{
    readonly code: number | null;
    readonly out: string;
    readonly err: string;
  }>;
}

/** Starts the command; resolves with its first line, or when it has ended without one. */
async function run(args: readonly string[], { cwd = folder } = {}): Promise<Running> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  started.push(child);
  let out = "";
  let err = "";
  child.stderr!.on("data", (chunk: Buffer) => (err += chunk));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, out, err }));
  const line = new Promise<void>((resolve) =>
    child.stdout!.on("data", (chunk: Buffer) => ((out += chunk), out.includes("\n") && resolve())),
  );
  await Promise.race([line, ended]);
  return { child, line: out.split("\n")[0] ?? "", ended };
}

interface Kubeconfig {
  readonly clusters: readonly {
    readonly cluster: { readonly server: string; readonly "certificate-authority-data": string };
  }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

/** One request with what the kubeconfig says. */
async function ask(
  kubeconfig: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ readonly status: number; readonly text: string }> {
  const { clusters, users } = parse(readFileSync(kubeconfig, "utf8")) as Kubeconfig;
  const { server, "certificate-authority-data": ca } = clusters[0]!.cluster;
  const sent = request(`${server}${path}`, {
    method,
    agent: false,
    ca: Buffer.from(ca, "base64"),
    headers: {
      authorization: `Bearer ${users[0]!.user.token}`,
      "content-type": "application/json",
    },
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [import("node:http").IncomingMessage];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode!, text };
}

describe("homeostat server", { timeout: 60_000 }, () => {
  test("prints one line when it is ready, answers, and ends with 0 on SIGTERM", async () => {
    const { child, line, ended } = await run(["server", "--output", "json"]);
    const { url, kubeconfig, pid } = JSON.parse(line) as {
      url: string;
      kubeconfig: string;
      pid: number;
    };
    assert.deepEqual([kubeconfig, pid], [join(folder, ".homeostat", "kubeconfig"), child.pid]);
    assert.equal(statSync(kubeconfig).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(folder, ".homeostat", ".gitignore"), "utf8"), "*\n");
    assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await ask(kubeconfig, "GET", "/readyz")).text, "ok");
    const created = await ask(kubeconfig, "POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "a" },
    });
    assert.equal(created.status, 201);
    child.kill("SIGTERM");
    assert.deepEqual(await ended, { code: 0, out: `${line}\n`, err: "" });
  });

  test("controllers follow when it is ready: a deleted namespace goes; a controller that does not exist is refused before", async () => {
    const kubeconfig = join(folder, "controllers", "kubeconfig");
    const { child, ended } = await run(["server", "--kubeconfig", kubeconfig]);
    assert.equal(
      (await ask(kubeconfig, "POST", "/api/v1/namespaces", { metadata: { name: "short" } })).status,
      201,
    );
    await ask(kubeconfig, "DELETE", "/api/v1/namespaces/short");
    while ((await ask(kubeconfig, "GET", "/api/v1/namespaces/short")).status !== 404)
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill("SIGTERM");
    assert.equal((await ended).code, 0);
    const refused = await run(["server", "--controllers", "gardener"]);
    const { code, out, err } = await refused.ended;
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^homeostat: --controllers: unknown controller "gardener"/);
  });

  test("SIGINT ends it with 0 as well, open watches or not", async () => {
    const kubeconfig = join(folder, "watch", "kubeconfig");
    const { child, ended } = await run(["server", "--kubeconfig", kubeconfig]);
    const watch = ask(kubeconfig, "GET", "/api/v1/configmaps?watch=true").catch(
      (error: Error) => error,
    );
    await ask(kubeconfig, "GET", "/api/v1/namespaces");
    child.kill("SIGINT");
    assert.equal((await ended).code, 0);
    await watch;
  });

  test("with a data directory, objects and kubeconfig outlive SIGKILL", async () => {
    const kubeconfig = join(folder, "data-kubeconfig");
    const args = [
      "server",
      "--kubeconfig",
      kubeconfig,
      "--data-dir",
      join(folder, "data"),
      "--output",
      "json",
    ];
    const first = await run(args);
    const { text } = await ask(kubeconfig, "POST", "/api/v1/namespaces/default/configmaps", {
      metadata: { name: "kept" },
      data: { a: "b" },
    });
    const before = readFileSync(kubeconfig, "utf8");
    const busy = await run([...args, "--kubeconfig", join(folder, "other")]);
    assert.match(
      (await busy.ended).err,
      /another process has it open; stop that server, or use another data directory/,
    );
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await run([
      ...args,
      "--port",
      new URL((JSON.parse(first.line) as { url: string }).url).port,
    ]);
    assert.equal(readFileSync(kubeconfig, "utf8"), before);
    assert.equal(
      (await ask(kubeconfig, "GET", "/api/v1/namespaces/default/configmaps/kept")).text,
      text,
    );
    second.child.kill("SIGTERM");
    assert.equal((await second.ended).code, 0);
  });

  test("a failed start exits 1 with one line, and leaves no files", async (t) => {
    const taken = createServer().listen(0, "127.0.0.1");
    t.after(() => taken.close());
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    writeFileSync(join(folder, "file"), "");
    const unwritable = join(folder, "file", "kubeconfig");
    const directory = join(folder, "directory");
    mkdirSync(directory);
    const cases: readonly (readonly [RegExp, ...string[]])[] = [
      [
        new RegExp(
          `listen on 127\\.0\\.0\\.1:${port}: the port is in use; stop the process that uses it`,
        ),
        "--port",
        String(port),
        "--kubeconfig",
        join(folder, "never"),
      ],
      [
        /write kubeconfig .*file\/kubeconfig: .*; name a file that this user can write/,
        "--kubeconfig",
        unwritable,
      ],
      [
        /open data directory .*file\/data: .*; name a folder/,
        "--data-dir",
        join(folder, "file", "data"),
        "--kubeconfig",
        join(folder, "never"),
      ],
      [/write kubeconfig .*directory: /, "--kubeconfig", directory],
      [
        /write --faults-file .*directory: /,
        "--faults-file",
        directory,
        "--kubeconfig",
        join(folder, "stopped"),
      ],
    ];
    for (const [message, ...args] of cases) {
      const { code, err, out } = await (await run(["server", ...args])).ended;
      assert.match(err, message);
      assert.deepEqual([code, out, err.trim().split("\n").length], [1, "", 1]);
    }
    assert.ok(!existsSync(join(folder, "never")));
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith("directory")),
      ["directory"],
    );
  });

  test("a value that a flag does not take ends with 2 before anything starts", async () => {
    const home = join(folder, "home");
    mkdirSync(home);
    writeFileSync(join(folder, "stages.yaml"), "name: s\nthen: {}\n");
    for (const [message, ...args] of [
      [
        /^homeostat: --controllers: unknown controller "foo"; expected default, all .* garbagecollector, .*; see homeostat server --help$/,
        "--controllers",
        "foo",
      ],
      [
        /^homeostat: --stages: read stage "s": then: not supported; supported are name, for, .*; for\.kind: a kind was expected, e\.g\. Pod; see homeostat server --help$/,
        "--stages",
        join(folder, "stages.yaml"),
      ],
      [
        /^homeostat: --service-cluster-ip-range: expected .*, got "10\.0\.0\.0"; see homeostat server --help$/,
        "--service-cluster-ip-range",
        "10.0.0.0",
      ],
    ] as const) {
      const { code, err, out } = await (await run(["server", ...args], { cwd: home })).ended;
      assert.match(err.trimEnd(), message);
      assert.deepEqual([code, out], [2, ""]);
    }
    assert.deepEqual(readdirSync(home), []);
  });
});

test("ends without an error when the reader of its output has enough", async () => {
  const child = spawn(process.execPath, [bin, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  child.stdout.destroy();
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk));
  const [code] = (await once(child, "close")) as [number];
  assert.deepEqual([code, err], [0, ""]);
});

test(
  "an older Node hands over to the packaged one, and says what to do where there is none",
  { timeout: 30_000 },
  async () => {
    // A copy outside the workspace finds no packaged Node; a version of process.versions stands for
    // an older Node.
    const pretend = join(folder, "pretend.mjs");
    writeFileSync(
      pretend,
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } });',
    );
    const lonely = join(folder, "lonely", "bin");
    mkdirSync(lonely, { recursive: true });
    writeFileSync(join(lonely, "homeostat.mjs"), readFileSync(bin));
    const child = spawn(
      process.execPath,
      ["--import", pretend, join(lonely, "homeostat.mjs"), "version"],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let err = "";
    child.stderr.on("data", (chunk: Buffer) => (err += chunk));
    const [code] = (await once(child, "close")) as [number];
    assert.deepEqual([code, err.trim().split("\n").length], [1, 1]);
    assert.match(err, /^homeostat requires Node 24\.15 or later/);
  },
);
