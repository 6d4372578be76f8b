// Proof: TypeScript runs from source in a bin, a worker and a child process, and each resolves the
// workspace's packages to sources, without a build. (test/package/rehearsal.test.ts tests the
// packed packages.)
// Usage: `node tools/run.mjs tools/proofs/source-everywhere.ts`
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";

const where = isMainThread ? (process.argv[2] ?? "entry") : (workerData as string);
const found = import.meta.resolve("homeostat/api");
assert.ok(
  found.endsWith("packages/homeostat/src/api/index.ts"),
  `${where} resolves homeostat/api to ${found}`,
);
const { parseJson } = await import("homeostat/api");
assert.equal(typeof parseJson, "function");
console.log(`${where}: homeostat/api from source`);

if (where === "entry") {
  assert.equal(import.meta.main, true, "an entry is main, also under tools/run.mjs");
  // Hooks do not reach into workers: a worker is given the condition by name.
  const worker = new Worker(new URL(import.meta.url), {
    workerData: "worker",
    execArgv: ["--conditions=homeostat-source"],
  });
  assert.deepEqual(await once(worker, "exit"), [0]);
  const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), "child"], {
    stdio: "inherit",
  });
  assert.equal(child.status, 0);
  const bin = spawnSync(
    process.execPath,
    [fileURLToPath(new URL("../../packages/cli/bin/homeostat.js", import.meta.url)), "--help"],
    { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } },
  );
  assert.equal(bin.status, 0, bin.stderr);
  assert.equal(bin.stderr, "", "no warning");
  console.log("bin: homeostat --help from source");
}
