import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/envtest-etcd.js", import.meta.url));

test("an invalid URL ends the etcd replacement with a message", () => {
  for (const urls of ["foo", "http://127.0.0.1:0,bar", "unix:///x", "localhost:2379"]) {
    const { status, stderr } = spawnSync(
      process.execPath,
      [program, `--listen-client-urls=${urls}`],
      { encoding: "utf8" },
    );
    assert.deepEqual(
      [
        status,
        /^etcd: --listen-client-urls: expected http:\/\/HOST:PORT, got ".*"; separate URLs with commas\n$/.test(
          stderr,
        ),
      ],
      [2, true],
      stderr,
    );
  }
});
