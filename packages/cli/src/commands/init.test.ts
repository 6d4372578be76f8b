import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { findOrigin } from "../init/package-origin.ts";
import { runInit } from "./init.ts";

test("packages that cannot be built leave nothing, and the hint is true", (t) => {
  const root = mkdtempSync(join(tmpdir(), "homeostat-checkout-"));
  t.after(() => rmSync(root, { recursive: true }));
  for (const folder of ["packages/cli/src", "tools", "node_modules"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, "packages/cli/src/index.ts"), "");
  writeFileSync(join(root, "tools/run.mjs"), "console.error('TS2322 in a.ts'); process.exit(1);");
  const origin = findOrigin(join(root, "packages/cli"));
  const target = join(root, "my-operator");
  assert.throws(() => runInit(target, { origin }), /TS2322 in a\.ts; run npm ci there$/);
  assert.ok(!existsSync(target));
  mkdirSync(join(root, "node_modules/typescript"));
  mkdirSync(target);
  assert.throws(() => runInit(target, { origin }), /TS2322 in a\.ts; the packages have to build/);
  assert.deepEqual(readdirSync(target), []);
});
