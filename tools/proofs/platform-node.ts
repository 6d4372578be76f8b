// Proof: npm's platform packages provide the right Node without install scripts. Checks the
// installed packages and the lock file; the rest of the proof is that `npm run proofs` has started
// this script after `npm ci --ignore-scripts`.
// Usage: `npm run proofs`, or `node tools/run.mjs tools/proofs/platform-node.ts`
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
  readonly packages: Readonly<
    Record<
      string,
      { readonly version: string; readonly optional?: boolean; readonly hasInstallScript?: boolean }
    >
  >;
};

for (const [name, version] of Object.entries(optionalDependencies)) {
  const entry = packages[`node_modules/${name}`];
  assert.deepEqual(
    [entry?.version, entry?.optional, entry?.hasInstallScript],
    [version, true, undefined],
    `${name} is locked, optional and needs no install script`,
  );
}
const own = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
const expected = optionalDependencies[own];
if (expected === undefined) {
  console.log(
    `${own} has no platform package: the user's own Node ${process.versions.node} serves`,
  );
} else {
  const binary = `${root}node_modules/.bin/node${process.platform === "win32" ? ".cmd" : ""}`;
  assert.ok(existsSync(binary), `npm linked ${own}`);
  const { stdout } = spawnSync(binary, ["--version"], {
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  assert.equal(stdout.trim(), `v${expected}`);
  console.log(`${own} ${expected} is what npm scripts run on`);
}
