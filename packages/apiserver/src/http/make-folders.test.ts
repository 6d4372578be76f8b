import assert from "node:assert/strict";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeFolders } from "./make-folders.ts";

const folder = mkdtempSync(join(tmpdir(), "make-folders-"));
after(() => rmSync(folder, { recursive: true, force: true }));

test("creates missing folders with the given mode, and accepts existing ones", () => {
  makeFolders(join(folder, "a", "b"), 0o700);
  makeFolders(join(folder, "a", "b"), 0o700);
  assert.equal(statSync(join(folder, "a")).mode & 0o777, 0o700);
  assert.ok(statSync(join(folder, "a", "b")).isDirectory());
});

test("a file in the way, and a place where nothing can be made, are errors at once", () => {
  writeFileSync(join(folder, "file"), "");
  assert.throws(() => makeFolders(join(folder, "file"), 0o700), /EEXIST/);
  assert.throws(() => makeFolders(join(folder, "file", "below"), 0o700), /ENOTDIR/);
  if (process.platform === "linux")
    assert.throws(() => makeFolders("/proc/nothing/below", 0o700), /ENOENT|EACCES|EPERM/);
});
