// tools/run.mjs: arguments, exit codes, signals and Node versions.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { plantTree } from "../test/architecture/plant-tree.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const script = fileURLToPath(new URL("run.mjs", import.meta.url));
/** Without what this test process was itself started with. */
const env = { ...process.env, NODE_OPTIONS: "", NODE_TEST_CONTEXT: undefined };

describe("tools/run.mjs", () => {
  test("runs an entry as main, with its arguments, and passes the exit code on", () => {
    using tree = plantTree({
      "entry.ts":
        "const code: number = Number(process.argv[2]);\nconsole.log(import.meta.main, process.argv.slice(2).join());\nprocess.exitCode = code;",
    });
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [script, `${tree.root}/entry.ts`, "3", "--flag"],
      { encoding: "utf8", env },
    );
    assert.deepEqual(
      { status, stdout, stderr },
      { status: 3, stdout: "true 3,--flag\n", stderr: "" },
    );
  });

  test("resolves the workspace's packages to sources, in children too", () => {
    const inner =
      'console.log(import.meta.resolve("homeostat/api").split("/").slice(-3).join("/"))';
    using tree = plantTree({
      "entry.ts": `import { spawnSync } from "node:child_process";\nspawnSync(process.execPath, ["--input-type=module", "-e", ${JSON.stringify(inner)}], { stdio: "inherit", cwd: ${JSON.stringify(`${root}packages/apiserver`)} });`,
    });
    const { stdout } = spawnSync(process.execPath, [script, `${tree.root}/entry.ts`], {
      encoding: "utf8",
      env,
    });
    assert.equal(stdout, "src/api/index.ts\n");
  });

  test("a signal reaches the entry", async () => {
    using tree = plantTree({
      "entry.ts":
        'process.on("SIGTERM", () => process.exit(7));\nsetInterval(() => {}, 1000);\nconsole.log("ready");',
    });
    const child = spawn(process.execPath, [script, `${tree.root}/entry.ts`], {
      stdio: ["ignore", "pipe", "inherit"],
      env,
    });
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    assert.deepEqual(await once(child, "exit"), [7, null]);
  });

  const older =
    'data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.1.0" } })';

  test(
    "an older Node hands over to the workspace's",
    {
      skip: existsSync(`${root}node_modules/.bin/node`)
        ? false
        : "this platform has no Node package",
    },
    () => {
      using tree = plantTree({
        "entry.ts": "console.log(process.versions.node.split('.')[0]);\nprocess.exitCode = 5;",
      });
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ["--import", older, script, `${tree.root}/entry.ts`],
        { encoding: "utf8", env },
      );
      assert.deepEqual({ status, stdout, stderr }, { status: 5, stdout: "24\n", stderr: "" });
    },
  );

  test("an older Node without a newer one beside it says so in one line", () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", older, script, "entry.ts"],
      { encoding: "utf8", env: { ...env, HOMEOSTAT_NODE_TRIED: "1" } },
    );
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(stderr, /^homeostat requires Node 24\.15 or newer, this is 20\.1\.0 .*\n$/);
  });

  test("prints its usage without arguments", () => {
    const { status, stderr } = spawnSync(process.execPath, [script], { encoding: "utf8", env });
    assert.deepEqual([status, stderr], [2, "usage: node tools/run.mjs FILE args…\n"]);
  });
});
