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

test("wrong usage exits 2 and says what is expected", async () => {
  const cases: readonly (readonly [RegExp, ...string[]])[] = [
    [/--port: expected a number from 0 to 65535, got "web"/, "server", "--port", "web"],
    [/--port: expected a number/, "server", "--port", "65536"],
    [
      /--fake-nodes: expected a number from 0 to 9999, got "many"/,
      "server",
      "--fake-nodes",
      "many",
    ],
    [/--stages: read nowhere\.yaml: ENOENT/, "server", "--stages", "nowhere.yaml"],
    [/--output: expected text or json, got "xml"/, "server", "--output", "xml"],
    [/--output: expected text or json/, "version", "--output", "xml"],
    [/--controllers: expected default, all, none, or names/, "server", "--controllers", "a,,b"],
    [/--fsync: requires --data-dir/, "server", "--fsync"],
    [
      /--event-ttl: expected a duration such as 90s, 5m or 1h30m, got "soon"/,
      "server",
      "--event-ttl",
      "soon",
    ],
    [/--compaction-interval: expected a duration/, "server", "--compaction-interval", "5"],
    [/unknown option '--prot'/, "server", "--prot", "1"],
    [/unknown command 'sever'[\s\S]*Did you mean server/, "sever"],
  ];
  for (const [message, ...argv] of cases) {
    const { code, err } = await run(...argv);
    assert.match(err, message);
    assert.equal(code, 2, argv.join(" "));
  }
});
