import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createSystemRuntime } from "homeostat/runtime";
import { loadIdentity } from "./identity.ts";

const folder = mkdtempSync(join(tmpdir(), "identity-"));
after(() => rmSync(folder, { recursive: true }));

test("an identity is the same when it is read again; a damaged file is an error that says what to do", () => {
  const file = join(folder, "identity.json");
  const runtime = createSystemRuntime();
  assert.deepEqual(loadIdentity(file, runtime), loadIdentity(file, runtime));
  for (const text of [
    "",
    "{",
    "null",
    '{"token":"x"}',
    '{"token":"x","authority":{"commonName":"a","cert":"b"}}',
  ]) {
    writeFileSync(file, text);
    assert.throws(
      () => loadIdentity(file, runtime),
      {
        code: "ERR_SERVER_IDENTITY",
        message:
          /^read .*identity\.json: .*; restore it from a copy, or delete it: the server then creates new certificates/,
      },
      text,
    );
  }
});
