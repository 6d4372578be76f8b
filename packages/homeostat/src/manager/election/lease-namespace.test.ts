import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { readLeaseNamespace } from "./lease-namespace.ts";

function place(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), "lease-namespace-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const lines: string[] = [];
  const log = () => ({ info: (line: string) => void lines.push(line) });
  const client = { namespace: "mine" };
  const read = () => readLeaseNamespace({ operator: "shop", client, folder, log });
  return { folder, lines, read };
}

test("in a pod it is the pod's, whatever the client's is", async (t) => {
  const { folder, lines, read } = place(t);
  writeFileSync(join(folder, "namespace"), "shop-system\n");
  assert.equal(await read(), "shop-system");
  assert.deepEqual(lines, []);
});

test("outside of a pod it is the client's, and the log names it", async (t) => {
  const { lines, read } = place(t);
  assert.equal(await read(), "mine");
  assert.match(lines.join(), /^not in a pod: the Leases of shop are in namespace mine; /);
});

test("a pod that cannot read its namespace does not elect elsewhere", async (t) => {
  const { folder, read } = place(t);
  mkdirSync(join(folder, "namespace"));
  await assert.rejects(read(), { code: "ERR_ELECTION_NAMESPACE" });
});
