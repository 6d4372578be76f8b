// Proof: node:sqlite as journal loses no acknowledged write under SIGKILL, and starts without a
// warning. A writer commits as fast as it can and prints each acknowledged revision; it is killed
// at an arbitrary moment, 50 times on the same file. After each kill the file must open without
// errors and contain every printed revision, in order and without gaps.
// Usage: `node tools/run.mjs tools/proofs/sqlite-kill.ts [ROUNDS]`
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createMemoryStore } from "../../packages/apiserver/src/storage/memory-store.ts";
import { openSqliteJournal } from "../../packages/apiserver/src/storage/sqlite-journal.ts";
import { endWithProof } from "./end-with-proof.ts";

const rounds = Number(process.argv[2] ?? 50);
const folder = mkdtempSync(join(tmpdir(), "homeostat-kill-"));
const file = join(folder, "journal.sqlite");

try {
  let acknowledged = 0;
  for (let round = 0; round < rounds; round++) acknowledged = await killOnce(round, acknowledged);
  console.log(`${rounds} kills, ${acknowledged} acknowledged writes, none lost; nothing on stderr`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Lets a writer work and kills it; resolves to the newest revision that it had seen acknowledged.
 */
async function killOnce(round: number, before: number): Promise<number> {
  const child = spawn(
    process.execPath,
    ["--conditions=homeostat-source", "--input-type=module-typescript", "--eval", writer(round)],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const forget = endWithProof(() => void child.kill("SIGKILL"));
  const lines: number[] = [];
  let [rest, errors] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  child.stdout.on("data", (chunk: Buffer) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map(Number));
    // A different moment each round: after the first line, or up to a few hundred later.
    if (lines.length > (round * 37) % 400) child.kill("SIGKILL");
  });
  await once(child, "close");
  forget();
  assert.equal(errors, "", "the writer says nothing on stderr");
  assert.ok(
    lines.length > 0 && lines[0]! > before,
    `round ${round} wrote ${lines.length} lines after ${before}`,
  );
  await verify(lines);
  return lines.at(-1)!;
}

function writer(round: number): string {
  const source = (name: string): string =>
    JSON.stringify(new URL(`../../packages/apiserver/src/storage/${name}`, import.meta.url).href);
  return `
    import { createMemoryStore } from ${source("memory-store.ts")};
    import { openSqliteJournal } from ${source("sqlite-journal.ts")};
    const store = createMemoryStore({ journal: await openSqliteJournal({ file: ${JSON.stringify(file)} }) });
    const attributes = { uid: "", generation: 0, labels: {}, fields: {}, owners: [], finalizers: [], deleting: false };
    const write = async (i) => {
      const { revision } = await store.commit("g/r/${round}/" + i, 0, (revision) => ({ bytes: new TextEncoder().encode(JSON.stringify({ revision })), attributes }));
      process.stdout.write(revision + "\\n");
    };
    for (let i = 0; ; i += 4) await Promise.all([write(i), write(i + 1), write(i + 2), write(i + 3)]);`;
}

async function verify(acknowledged: readonly number[]): Promise<void> {
  const database = new DatabaseSync(file);
  assert.deepEqual(
    { ...database.prepare("PRAGMA integrity_check").get() },
    { integrity_check: "ok" },
  );
  database.close();
  const store = createMemoryStore({ journal: await openSqliteJournal({ file }) });
  const held = store.list("");
  assert.ok(typeof held !== "string");
  const revisions = [...held.items].map((item) => {
    assert.deepEqual(JSON.parse(new TextDecoder().decode(item.bytes)), { revision: item.revision });
    return item.revision;
  });
  revisions.sort((a, b) => a - b);
  assert.deepEqual(
    revisions,
    Array.from({ length: revisions.length }, (_, i) => revisions[0]! + i),
    "no gap",
  );
  assert.ok(revisions.at(-1)! >= acknowledged.at(-1)!, "nothing acknowledged is lost");
  await store.close();
}
