import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { writePrivateFile } from "./write-private-file.ts";

test("a file is replaced whole, and a failed write leaves no draft", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "private-file-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "kubeconfig");
  for (const text of ["longer than the next", "short"]) writePrivateFile(file, text);
  assert.equal(readFileSync(file, "utf8"), "short");
  // Windows has no such modes.
  if (process.platform !== "win32") assert.equal(statSync(file).mode & 0o777, 0o600);
  mkdirSync(join(folder, "taken"));
  assert.throws(() => writePrivateFile(join(folder, "taken"), "text"), /EISDIR|EPERM/);
  assert.deepEqual(readdirSync(folder).sort(), ["kubeconfig", "taken"]);
});
