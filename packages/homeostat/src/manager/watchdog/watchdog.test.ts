import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { it } from "node:test";
import { fileURLToPath } from "node:url";

it("keeps no process alive", () => {
  const file = fileURLToPath(new URL("ending-process.suite.ts", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [file], {
    encoding: "utf8",
    timeout: 20_000,
  });
  assert.equal(status, 7, stderr);
});
