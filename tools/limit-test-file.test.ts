import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

test("a file whose server stays open ends, is named and fails; others are left alone", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-limit-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const head = 'import { test } from "node:test";\n';
  const open = 'import { createServer } from "node:net";\ncreateServer().listen(0, "127.0.0.1");\n';
  writeFileSync(join(folder, "open.test.mjs"), `${head}${open}test("one", () => {});`);
  writeFileSync(join(folder, "fine.test.mjs"), `${head}test("two", () => {});`);
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      `--import=${new URL("limit-test-file.mjs", import.meta.url).href}`,
      "--test",
      "--test-reporter=tap",
      ...["open", "fine"].map((name) => join(folder, `${name}.test.mjs`)),
    ],
    { encoding: "utf8", env: { ...env, TEST_FILE_LIMIT_MS: "1500" }, timeout: 60_000 },
  );
  assert.equal(status, 1, stdout);
  assert.match(
    stdout,
    /open\.test\.mjs did not end within 1\.5 s; what keeps it: .*TCPSERVERWRAP/i,
  );
  assert.doesNotMatch(stdout, /fine\.test\.mjs did not end/);
});
