import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { kubernetesVersion } from "@homeostat/apiserver";
import { main } from "./main.ts";

/** Runs a command that terminates, and captures its output. */
async function run(
  ...argv: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const texts = { out: "", err: "" };
  const take = (key: "out" | "err") => (chunk: string | Uint8Array) => {
    texts[key] += String(chunk);
    return true;
  };
  const writes = [
    mock.method(process.stdout, "write", take("out")),
    mock.method(process.stderr, "write", take("err")),
  ];
  try {
    return { code: await main(argv), ...texts };
  } finally {
    for (const write of writes) write.mock.restore();
  }
}

test("version names all three versions, as text and as JSON", async () => {
  const { code, out } = await run("version");
  assert.equal(code, 0);
  assert.match(
    out,
    new RegExp(
      `^homeostat \\d+\\.\\d+\\.\\d+ \\(Kubernetes ${kubernetesVersion}, Node ${process.version}\\)\\n$`,
    ),
  );
  assert.deepEqual(
    Object.keys(JSON.parse((await run("version", "--output", "json")).out) as object),
    ["homeostat", "kubernetes", "node"],
  );
});

test("help shows examples and exits 0", async () => {
  for (const argv of [["--help"], ["server", "--help"], ["version", "--help"]]) {
    const { code, out } = await run(...argv);
    assert.equal(code, 0);
    assert.match(out, /^Usage: homeostat/);
  }
  assert.match((await run("server", "--help")).out, /Examples:\n {2}homeostat server/);
});

test(
  "a folder that cannot be created is an error at once",
  { skip: process.platform !== "linux" },
  async () => {
    for (const argv of [
      ["init", "/proc/a/one"],
      ["server", "envtest", "install", "/proc/a/one"],
    ]) {
      const { code, err } = await run(...argv);
      assert.equal(code, 1);
      assert.match(err, /\/proc\/a.*; choose a folder that this user can write to/);
    }
  },
);

test("help prints the help of a command, at every level", async () => {
  for (const [argv, usage] of [
    [["help"], "homeostat [options] [command]"],
    [["help", "server"], "homeostat server [options] [command]"],
    [["help", "server", "envtest"], "homeostat server envtest [options] [command]"],
    [["server", "help", "envtest"], "homeostat server envtest [options] [command]"],
    [["help", "help"], "homeostat help [options] [command...]"],
  ] as const) {
    const { code, out } = await run(...argv);
    assert.deepEqual([code, out.split("\n")[0]], [0, `Usage: ${usage}`]);
  }
});

test("wrong usage exits 2, begins with the flag or command, says what is expected, and hints at the help", async () => {
  const server = (message: string, ...argv: readonly string[]) =>
    [`homeostat: ${message}; see homeostat server --help\n`, "server", ...argv] as const;
  const cases: readonly (readonly [string, ...string[]])[] = [
    server('--port: expected a number from 0 to 65535, got "web"', "--port", "web"),
    server('--port: expected a number from 0 to 65535, got "65536"', "--port", "65536"),
    server('--port: expected a number from 0 to 65535, got "-1"', "--port", "-1"),
    server('--fake-nodes: expected a number from 0 to 9999, got "many"', "--fake-nodes", "many"),
    server('--fake-nodes: expected a number from 0 to 9999, got "10000"', "--fake-nodes", "10000"),
    server('--output: expected text or json, got "xml"', "--output", "xml"),
    server(
      '--controllers: expected default, all, none, or names separated by commas, got "a,,b"',
      "--controllers",
      "a,,b",
    ),
    server(
      '--controllers: expected none alone, or names without none, got "default,none"',
      "--controllers",
      "default,none",
    ),
    server(
      '--service-cluster-ip-range: expected a range of addresses such as 10.96.0.0/16, got "x"',
      "--service-cluster-ip-range",
      "x",
    ),
    server(
      '--service-node-port-range: expected a range of ports such as 30000-32767, got "5-1"',
      "--service-node-port-range",
      "5-1",
    ),
    server(
      '--enable-admission-plugins: expected names separated by commas, got "Priority,"',
      "--enable-admission-plugins",
      "Priority,",
    ),
    server(
      "--enable-admission-plugins: expected each plug-in to be either enabled or disabled, got both for Priority",
      "--enable-admission-plugins",
      "Priority",
      "--disable-admission-plugins",
      "Priority",
    ),
    server('--kubeconfig: expected a path, got ""', "--kubeconfig", ""),
    server('--data-dir: expected a path, got ""', "--data-dir", ""),
    server("--fsync: requires --data-dir", "--fsync"),
    server(
      '--event-ttl: expected a duration such as 90s, 5m or 1h30m, got "soon"',
      "--event-ttl",
      "soon",
    ),
    server(
      '--compaction-interval: expected a duration such as 90s, 5m or 1h30m, got "5"',
      "--compaction-interval",
      "5",
    ),
    [
      'homeostat: --output: expected text or json, got "xml"; see homeostat version --help\n',
      "version",
      "--output",
      "xml",
    ],
    [
      'homeostat: help: homeostat has no command "nope"; the commands are server, storage-versions, version, init, generate, help; see homeostat --help\n',
      "help",
      "nope",
    ],
    [
      'homeostat: help: homeostat server has no command "nope"; the commands are envtest, help; see homeostat --help\n',
      "server",
      "help",
      "nope",
    ],
    [
      "error: unknown option '--prot'\n(Did you mean --port?)\n(see homeostat server --help)\n",
      "server",
      "--prot",
      "1",
    ],
    [
      "error: unknown option '--outptu'\n(Did you mean --output?)\n(see homeostat init --help)\n",
      "init",
      "x",
      "--outptu",
      "json",
    ],
    ["error: unknown command 'sever'\n(Did you mean server?)\n(see homeostat --help)\n", "sever"],
  ];
  for (const [message, ...argv] of cases) {
    const { code, err } = await run(...argv);
    assert.deepEqual([code, err], [2, message], argv.join(" "));
  }
});

test("a message that lists all valid values begins with the flag as well", async () => {
  for (const [message, ...argv] of [
    [
      /^homeostat: --stages: expected a readable file, got "nowhere": ENOENT/,
      "--stages",
      "nowhere",
    ],
    [
      /^homeostat: --controllers: unknown controller "foo"; expected .*job, /,
      "--controllers",
      "foo",
    ],
    [
      /^homeostat: --disable-admission-plugins: expected .*: any of .*Priority.*; got "Nope"; see homeostat server --help\n$/,
      "--disable-admission-plugins",
      "Nope",
    ],
  ] as const) {
    const { code, err } = await run("server", ...argv);
    assert.match(err, message);
    assert.equal(code, 2, argv.join(" "));
  }
});

test("kube-apiserver of envtest names its own flags", async () => {
  const program = ["server", "envtest", "kube-apiserver"];
  for (const [message, flag] of [
    [
      /^homeostat: --service-cluster-ip-range: expected .*, got "x"; see /,
      "service-cluster-ip-range",
    ],
    [
      /^homeostat: --service-account-issuer: expected a string that is not empty/,
      "service-account-issuer",
    ],
    [/^homeostat: --secure-port: expected a number from 0 to 65535/, "secure-port"],
  ] as const) {
    const value = flag === "service-account-issuer" ? "" : "x";
    const { code, err } = await run(...program, `--${flag}=${value}`);
    assert.match(err, message);
    assert.equal(code, 2);
  }
});
