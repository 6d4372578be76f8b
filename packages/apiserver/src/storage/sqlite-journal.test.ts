import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { describeJournal } from "./journal.suite.ts";
import { createMemoryStore } from "./memory-store.ts";
import { openSqliteJournal } from "./sqlite-journal.ts";
import { noAttributes } from "./store.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "journal-"));
after(() => rmSync(folder, { recursive: true }));
const attributes = { ...noAttributes, uid: "u" };
let files = 0;
const newFile = (): string => join(folder, `${files++}.db`);

describeJournal("SQLite journal", async () => {
  const file = newFile();
  return { open: () => openSqliteJournal({ file }) };
});

describeJournal("SQLite journal with fsync", async () => {
  const file = newFile();
  return { open: () => openSqliteJournal({ file, fsync: true }) };
});

test("a file that another server has open is refused", async () => {
  const file = newFile();
  const journal = await openSqliteJournal({ file });
  await assert.rejects(openSqliteJournal({ file }), { code: "ERR_JOURNAL_LOCKED" });
  await journal.close();
});

test(
  "only the owner can read the files",
  { skip: process.platform === "win32" ? "Windows has no such modes" : false },
  async () => {
    const file = newFile();
    const store = createMemoryStore({ journal: await openSqliteJournal({ file }) });
    await store.commit("g/r//a", 0, () => ({
      bytes: new Uint8Array(1),
      attributes,
    }));
    for (const each of [file, `${file}-wal`])
      assert.equal(statSync(each).mode & 0o777, 0o600, each);
    await store.close();
  },
);

test("a file of another format is refused", async () => {
  const file = newFile();
  const other = new DatabaseSync(file);
  other.exec("PRAGMA user_version = 99");
  other.close();
  await assert.rejects(openSqliteJournal({ file }), { code: "ERR_JOURNAL_FORMAT" });
  const text = newFile();
  writeFileSync(text, "not a database, but long enough to be read as a header of one".repeat(20));
  await assert.rejects(openSqliteJournal({ file: text }), { code: "ERR_JOURNAL_OPEN" });
});

test("a corrupt row is reported with file, key and revision", async () => {
  for (const damage of [
    "bytes = x'7b20'",
    "facts = '{'",
    "key = 'g/r//b'",
    "checksum = NULL, facts = '{'",
  ]) {
    const file = newFile();
    const store = createMemoryStore({ journal: await openSqliteJournal({ file }) });
    await store.commit("g/r//a", 0, () => ({ bytes: Buffer.from("{}"), attributes }));
    await store.close();
    const database = new DatabaseSync(file);
    database.exec(`UPDATE revisions SET ${damage}`);
    database.close();
    const journal = await openSqliteJournal({ file });
    assert.throws(
      () => createMemoryStore({ journal }),
      {
        code: "ERR_JOURNAL_DAMAGED",
        message:
          /^read .*\.db: the row of g\/r\/\/[ab] at revision 1 is damaged: .*; restore the data directory from a copy/,
      },
      damage,
    );
    await journal.close();
  }
});

test("a file without checksums is taken over, and gets them from then on", async () => {
  const file = newFile();
  const old = new DatabaseSync(file);
  old.exec(`CREATE TABLE revisions (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, epoch INTEGER NOT NULL,
    type INTEGER NOT NULL, bytes BLOB NOT NULL, facts TEXT NOT NULL);
    INSERT INTO revisions VALUES (1, 'g/r//a', 1, 0, 0, x'7b7d', '${JSON.stringify(attributes)}'); PRAGMA user_version = 1;`);
  old.close();
  for (const name of ["b", "c"]) {
    const store = createMemoryStore({ journal: await openSqliteJournal({ file }) });
    assert.equal(store.latest("g/r//a")?.revision, 1);
    await store.commit(`g/r//${name}`, 0, () => ({
      bytes: Buffer.from("{}"),
      attributes,
    }));
    await store.close();
  }
  const database = new DatabaseSync(file);
  assert.deepEqual(
    database
      .prepare("SELECT checksum IS NULL AS bare FROM revisions ORDER BY revision")
      .all()
      .map(({ bare }) => bare),
    [1, 0, 0],
  );
  database.close();
});

test("compacted rows leave the file, and a file of empty pages shrinks when it is opened", async () => {
  const file = newFile();
  const store = createMemoryStore({ journal: await openSqliteJournal({ file }), keepChanges: 100 });
  const bytes = new Uint8Array(20_000);
  const write = async (key: string): Promise<void> =>
    void (await store.commit(key, store.latest(key)?.revision ?? 0, () => ({
      bytes,
      attributes,
    })));
  for (let i = 0; i < 1000; i++) await write(`g/r//${i % 10}`);
  const sizeAfter = statSync(file).size;
  assert.ok(
    sizeAfter < 300 * bytes.length,
    `20 MB have been written, 200 changes are kept: ${sizeAfter}`,
  );
  for (let i = 0; i < 600; i++) await store.commit(`g/s//${i}`, 0, () => ({ bytes, attributes }));
  for (let i = 0; i < 600; i++)
    await store.commit(
      `g/s//${i}`,
      store.latest(`g/s//${i}`)!.revision,
      () => null,
      () => ({ bytes: new Uint8Array(), attributes }),
    );
  store.compact(store.revision());
  await store.close();
  assert.ok(statSync(file).size > 600 * bytes.length);
  const reopened = createMemoryStore({ journal: await openSqliteJournal({ file }) });
  assert.equal(reopened.latest("g/r//9")?.revision, 1000);
  await reopened.close();
  assert.ok(statSync(file).size < 20 * bytes.length, `ten objects: ${statSync(file).size}`);
});

test("acknowledged writes survive SIGKILL", async () => {
  const file = newFile();
  const writer = `
    import { createMemoryStore } from ${JSON.stringify(new URL("memory-store.ts", import.meta.url).href)};
    import { openSqliteJournal } from ${JSON.stringify(new URL("sqlite-journal.ts", import.meta.url).href)};
    const store = createMemoryStore({ journal: await openSqliteJournal({ file: ${JSON.stringify(file)} }) });
    const attributes = { uid: "", generation: 0, labels: {}, fields: {}, owners: [], finalizers: [], deleting: false };
    for (let i = 0; ; i++) {
      const { revision } = await store.commit("g/r//" + i, 0, () => ({ bytes: new Uint8Array(100), attributes }));
      process.stdout.write(revision + "\\n");
    }`;
  const child = spawn(
    process.execPath,
    ["--conditions=homeostat-source", "--input-type=module-typescript", "-e", writer],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let output = "";
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk));
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
    if (output.length > 200) child.kill("SIGKILL");
  });
  await once(child, "close");
  assert.equal(errors, "", "nothing on stderr, no warning either");
  const acknowledged = Number(output.slice(0, output.lastIndexOf("\n")).split("\n").at(-1));
  assert.ok(acknowledged > 10);
  const store = createMemoryStore({ journal: await openSqliteJournal({ file }) });
  assert.ok(store.revision() >= acknowledged);
  assert.equal(store.latest(`g/r//${acknowledged - 1}`)?.revision, acknowledged);
  await store.close();
});
