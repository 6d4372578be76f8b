// `npm start` as a process, from source: its exit codes, its output, and that it leaves nothing
// behind.
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { CustomResourceDefinition } from "homeostat/k8s/apiextensions/v1";
import { Namespace } from "homeostat/k8s/core/v1";
import { resources } from "../../examples/kitchen/kitchen.ts";
import { freePort } from "../fixtures/free-port.ts";
import { until } from "../fixtures/until.ts";

const runner = fileURLToPath(new URL("../../tools/run.mjs", import.meta.url));
const kitchen = fileURLToPath(new URL("../../examples/kitchen/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "kitchen-command-"));
const started: ChildProcess[] = [];
after(() => {
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/**
 * On the reference control plane the same dinner is cooked; what needs a server of the kitchen's
 * own is left out.
 */
const reference = process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"];
const hasKubectl = (() => {
  try {
    return execFileSync("kubectl", ["version", "--client"], { encoding: "utf8" }).length > 0;
  } catch {
    return false;
  }
})();

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}
interface Running {
  readonly child: ChildProcess;
  readonly cwd: string;
  out(): string;
  readonly ended: Promise<Ended>;
}

let runs = 0;
function run(...args: readonly string[]): Running {
  const cwd = join(folder, String(runs++));
  mkdirSync(cwd);
  const child = spawn(process.execPath, [runner, kitchen, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  started.push(child);
  const text = { out: "", err: "" };
  child.stdout.on("data", (chunk: Buffer) => (text.out += chunk));
  child.stderr.on("data", (chunk: Buffer) => (text.err += chunk));
  return {
    child,
    cwd,
    out: () => text.out,
    ended: once(child, "close").then(([code]) => ({ code: code as number | null, ...text })),
  };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const order = (name: string, chef: string, table = 1): string => `apiVersion: kitchen.example.com/v1
kind: Order
metadata: { name: ${name} }
spec: { table: ${table}, chef: ${chef}, dishes: [{ name: soup, recipe: [{ name: leek, amount: 1, measure: piece }] }] }
`;
const quick = (chef: string): string => `apiVersion: kitchen.example.com/v1
kind: Chef
metadata: { name: ${chef} }
spec: { secondsPerDish: 0 }
---
`;
const kubeconfig = (server: string): string => `apiVersion: v1
kind: Config
current-context: c
contexts: [{ name: c, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "${server}", insecure-skip-tls-verify: true } }]
users: [{ name: u, user: { token: wrong } }]
`;

describe(
  "npm start",
  {
    concurrency: 2,
    timeout: 90_000,
    skip: reference !== undefined && "a server of its own is not the reference",
  },
  () => {
    test("--once cooks the whole dinner and ends with 0", async () => {
      const { code, out, err } = await run("--once").ended;
      assert.deepEqual([code, err], [0, ""]);
      assert.match(
        out,
        /^on an embedded API server, https:\/\/127\.0\.0\.1:\d+, which stops when dinner is ready; on a terminal it keeps running\n/,
      );
      assert.match(out, /Order +window +ready\n/);
      assert.match(out, / s {2}dinner is ready\n$/);
    });

    test("--output json prints one report and nothing else", async () => {
      const { code, out, err } = await run(
        "--once",
        "--output",
        "json",
        "--manifests",
        file("quick.yaml", quick("eve") + order("table", "eve")),
      ).ended;
      assert.deepEqual([code, err], [0, ""]);
      const report = JSON.parse(out) as {
        ready: boolean;
        seconds: number;
        objects: readonly {
          kind: string;
          name: string;
          applied: boolean;
          ready: boolean;
          because: string;
          conditions: object;
        }[];
      };
      assert.deepEqual([report.ready, report.objects.length], [true, 4]);
      assert.deepEqual(
        report.objects.find(({ kind }) => kind === "Order"),
        {
          kind: "Order",
          name: "table",
          applied: true,
          ready: true,
          because: "",
          conditions: { ChefFound: "True", MealsCooked: "True", Ready: "True" },
        },
      );
    });

    test("a dinner that cannot be cooked ends with 1 and the reasons", async () => {
      const manifests = file(
        "missing-chef.yaml",
        quick("eve") + order("served", "eve") + "---\n" + order("lonely", "nobody", 2),
      );
      const { code, err } = await run("--once", "--deadline", "2", "--manifests", manifests).ended;
      assert.equal(code, 1);
      assert.match(
        err,
        /^dinner is not ready after 2(\.\d)? s:\n {2}Order lonely: waits for Chef "nobody"\n$/,
      );
    });

    for (const [args, message] of [
      [["--nonsense"], /^Unknown option '--nonsense'/],
      [["--deadline", "soon"], /^--deadline: expected a number of seconds above 0, got "soon"\n/],
      [["--deadline", "-1"], /--deadline/],
      [["--output", "xml"], /^--output: expected text or json, got "xml"\n/],
      [["--kubeconfig"], /--kubeconfig/],
      [["dinner"], /Unexpected argument 'dinner'/],
    ] as const) {
      test(`${args.join(" ")} is refused with the usage and 2`, async () => {
        const { code, out, err } = await run(...args).ended;
        assert.deepEqual([code, out], [2, ""]);
        assert.match(err, message);
        assert.match(err, /\nOptions\n/);
      });
    }

    test("--help is the usage", async () => {
      const { code, out, err } = await run("--help").ended;
      assert.deepEqual([code, err], [0, ""]);
      assert.match(out, /^Cooks the dinner/);
    });

    for (const [what, text, message] of [
      ["that is not there", undefined, /^ERR_KUBECONFIG_NOT_FOUND: .*none\.yaml.*\n {2}\S/],
      ["that is not YAML", "{", /^ERR_KUBECONFIG_SYNTAX: .*broken\.yaml.*\n/],
      [
        "of a server that does not run",
        kubeconfig("https://127.0.0.1:1"),
        /^ERR_CLIENT_UNREACHABLE: .*https:\/\/127\.0\.0\.1:1 .*broken\.yaml/,
      ],
    ] as const) {
      test(`a kubeconfig ${what} is one clear error`, async () => {
        const path =
          text === undefined ? join(folder, "none.yaml") : file(`${runs}-broken.yaml`, text);
        const { code, out, err } = await run("--once", "--kubeconfig", path).ended;
        assert.deepEqual([code, out], [1, ""]);
        assert.match(err, message);
        assert.doesNotMatch(err, /\n +at /);
      });
    }

    for (const [what, text, message] of [
      [
        "that are not there",
        undefined,
        /^ERR_KITCHEN_MANIFEST: reading .*none\.yaml: ENOENT.*\n {2}correct the path/,
      ],
      [
        "that are not YAML",
        "kind: [\n",
        /^ERR_KITCHEN_MANIFEST: reading .*broken\.yaml: document 1: .*\n {2}write documents .*\n$/,
      ],
      [
        "without a name",
        "apiVersion: kitchen.example.com/v1\nkind: Order\n",
        /^ERR_KITCHEN_MANIFEST: reading .*broken\.yaml: document 1 lacks apiVersion, kind or metadata\.name\n/,
      ],
      [
        "without anything",
        "# nothing\n",
        /^ERR_KITCHEN_MANIFEST: reading .*broken\.yaml: it holds no manifest\n/,
      ],
      [
        "of a kind that there is not",
        "apiVersion: kitchen.example.com/v1\nkind: Oven\nmetadata: { name: hot }\n",
        /^ERR_KITCHEN_REFUSED: applying Oven hot from .*broken\.yaml: .*kind Oven in kitchen\.example\.com\/v1/,
      ],
      [
        "with a field misspelt",
        order("a", "b").replace("chef", "cehf"),
        /^ERR_KITCHEN_REFUSED: applying Order a from .*broken\.yaml: .*cehf/,
      ],
    ] as const) {
      test(`manifests ${what} are one clear error`, async () => {
        const path =
          text === undefined ? join(folder, "none.yaml") : file(`${runs}-broken.yaml`, text);
        const { code, err } = await run("--once", "--manifests", path).ended;
        assert.equal(code, 1);
        assert.match(err, message);
        assert.doesNotMatch(err, /\n +at /);
      });
    }

    test("a missing namespace is named, with what was attempted", async () => {
      const { code, err } = await run(
        "--once",
        "--namespace",
        "nope",
        "--manifests",
        file("nope.yaml", order("table", "eve")),
      ).ended;
      assert.equal(code, 1);
      assert.match(
        err,
        /^ERR_KITCHEN_REFUSED: applying Order table from .*nope\.yaml to namespace nope: namespaces "nope" not found\n {2}create the namespace first: kubectl create namespace nope\n$/,
      );
    });

    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      test(
        `${signal} ends it within a second, cooking or not`,
        { skip: process.platform === "win32" && "no signals there" },
        async () => {
          const { child, out, ended } = run(
            "--once",
            "--deadline",
            "600",
            "--manifests",
            file(`${signal}.yaml`, order("lonely", "nobody")),
          );
          await until(() => out().includes("lonely"), { timeoutMs: 30_000 });
          const at = performance.now();
          child.kill(signal);
          const { code, err } = await ended;
          assert.ok(performance.now() - at < 1000, `it took ${performance.now() - at} ms`);
          assert.equal(code, 1);
          assert.match(err, /^stopped after \d+(\.\d)? s, before dinner was ready\n$/);
          assert.throws(() => process.kill(child.pid!, 0), { code: "ESRCH" });
        },
      );
    }

    test("ends when its output is closed", async () => {
      const { child, out, ended } = run("--once", "--deadline", "600");
      await until(() => out().length > 0, { timeoutMs: 30_000 });
      child.stdout!.destroy();
      const { code, err } = await ended;
      assert.equal(code, 1);
      assert.doesNotMatch(err, /EPIPE/);
    });

    test(
      "its kubeconfig serves kubectl while it runs",
      { skip: !hasKubectl && "there is no kubectl" },
      async () => {
        const { child, cwd, out, ended } = run(
          "--once",
          "--deadline",
          "600",
          "--manifests",
          file("kubectl.yaml", order("lonely", "eve")),
        );
        await until(() => out().includes("lonely"), { timeoutMs: 30_000 });
        const path = join(cwd, ".homeostat", "kubeconfig");
        assert.ok(existsSync(path));
        const kubectl = (...args: readonly string[]): string =>
          execFileSync("kubectl", ["--kubeconfig", path, ...args], {
            encoding: "utf8",
            cwd,
            env: { ...process.env, HOME: cwd },
          });
        assert.match(kubectl("get", "orders"), /^NAME +TABLE .*\nlonely /);
        assert.match(
          kubectl("get", "kitchen", "-o", "name"),
          /^order\.kitchen\.example\.com\/lonely\n/m,
        );
        writeFileSync(join(cwd, "eve.yaml"), quick("eve"));
        assert.equal(kubectl("apply", "-f", "eve.yaml"), "chef.kitchen.example.com/eve created\n");
        const { code } = await ended;
        assert.equal(code, 0);
        assert.match(readFileSync(path, "utf8"), /127\.0\.0\.1/);
        assert.equal(child.exitCode, 0);
      },
    );
  },
);

describe(
  "npm start on the reference control plane",
  { timeout: 90_000, skip: reference === undefined && "there is no reference" },
  () => {
    let client: Client;
    before(async () => {
      const access = await loadKubeconfig({ path: reference! });
      const administrator = createClient({ access });
      const { metadata } = await administrator.create(Namespace, {
        metadata: { generateName: "kitchen-" },
      });
      await administrator.close();
      client = createClient({ access, namespace: metadata.name });
    });
    // No garbage collector runs there: the test removes finalizers itself.
    after(async () => {
      for (const kind of resources)
        for (const { metadata } of (await client.list(kind, { namespace: client.namespace })).items)
          await client.patch(kind, metadata.name, {
            type: "merge",
            body: { metadata: { finalizers: null } },
          });
      for (const { definition } of resources)
        await client.delete(CustomResourceDefinition, `${definition.plural}.${definition.group}`);
      await client.delete(Namespace, client.namespace);
      await client.close();
    });

    test("cooks the whole dinner there, twice, and ends with 0", async () => {
      for (let i = 0; i < 2; i++) {
        const { code, out, err } = await run(
          "--once",
          "--kubeconfig",
          reference!,
          "--namespace",
          client.namespace,
        ).ended;
        assert.deepEqual([code, err], [0, ""]);
        assert.match(out, / s {2}dinner is ready\n$/);
      }
    });

    test("serves both versions of Orders and its rules there, when it is told where it is", async () => {
      const port = await freePort();
      const { code, out, err } = await run(
        "--once",
        ...["--kubeconfig", reference!, "--namespace", client.namespace],
        ...["--webhooks", `https://127.0.0.1:${port}`],
        ...["--manifests", file("v1.yaml", quick("eve") + order("old", "eve", 9))],
      ).ended;
      assert.equal(code, 0, err);
      assert.match(out, /Order +old +ready\n/);
    });

    test("reports the server's message when it rejects the credentials", async () => {
      const { server } = await loadKubeconfig({ path: reference! });
      const path = file("wrong.yaml", kubeconfig(server));
      const { code, err } = await run("--once", "--kubeconfig", path).ended;
      assert.equal(code, 1);
      assert.ok(
        err.startsWith(
          `cooking on ${server} (${path}): the server answered: Unauthorized (${server} does not take the credentials of `,
        ),
        err,
      );
    });
  },
);
