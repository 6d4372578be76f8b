import assert from "node:assert/strict";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openLogFile } from "./log-file.ts";

const folder = mkdtempSync(join(tmpdir(), "audit-log-"));
after(() => rmSync(folder, { recursive: true }));

const day = 86_400_000;
const start = Date.UTC(2026, 10, 21, 10, 0, 0, 123);
const unlimited = { maxBytes: 0, maxBackups: 0, maxAgeDays: 0, compress: false };

test("a log goes on where it ended, for this user only, in folders that are made", async () => {
  const path = join(folder, "new", "audit.log");
  for (const line of ["a\n", "b\n"]) {
    const file = openLogFile(path, unlimited, () => start);
    file.write(line);
    await file.close();
  }
  assert.equal(readFileSync(path, "utf8"), "a\nb\n");
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test("a log is rotated before it exceeds its size", async () => {
  const path = join(folder, "sized", "audit.log");
  let now = start;
  const file = openLogFile(path, { ...unlimited, maxBytes: 10 }, () => now);
  for (const line of ["12345\n", "123\n", "12345\n"]) file.write(line);
  now += 1000;
  file.write("1234567\n");
  assert.throws(() => file.write("12345678901"), /write length 11 exceeds maximum file size 10/);
  await file.close();
  const read = (name: string) => readFileSync(join(folder, "sized", name), "utf8");
  assert.deepEqual(
    readdirSync(join(folder, "sized")).map((name) => [name, read(name)]),
    [
      ["audit-2026-11-21T10-00-00.123.log", "12345\n123\n"],
      ["audit-2026-11-21T10-00-01.123.log", "12345\n"],
      ["audit.log", "1234567\n"],
    ],
  );
});

test("a rotation that fails closes no other file, and the log goes on after it", async () => {
  const path = join(folder, "lost", "audit.log");
  const file = openLogFile(path, { ...unlimited, maxBytes: 4 }, () => start);
  file.write("abc\n");
  rmSync(dirname(path), { recursive: true });
  writeFileSync(dirname(path), "no folder");
  assert.throws(() => file.write("def\n"));
  const other = openSync(join(folder, "other"), "w");
  assert.throws(() => file.write("ghi\n"));
  writeSync(other, "mine");
  rmSync(dirname(path));
  file.write("jkl\n");
  await file.close();
  closeSync(other);
  assert.equal(readFileSync(path, "utf8"), "jkl\n");
});

test("old logs are removed by number and by age, other files are not", async () => {
  const path = join(folder, "kept", "audit.log");
  let now = start;
  const rotation = { ...unlimited, maxBytes: 1, maxBackups: 2, maxAgeDays: 3 };
  const file = openLogFile(path, rotation, () => now);
  const other = join(folder, "kept", "audit-of-mine.log");
  writeFileSync(other, "");
  for (let i = 0; i < 5; i++) {
    file.write("x");
    now += day;
  }
  now += 2 * day;
  file.write("x");
  await file.close();
  assert.equal(existsSync(other), true);
  // Those of the last two rotations, of which the one before the last is too old.
  assert.deepEqual(readdirSync(join(folder, "kept")), [
    "audit-2026-11-25T10-00-00.123.log",
    "audit-2026-11-28T10-00-00.123.log",
    "audit-of-mine.log",
    "audit.log",
  ]);
});

test("old logs are compressed, and count as before", async () => {
  const path = join(folder, "compressed", "audit.log");
  let now = start;
  const rotation = { ...unlimited, maxBytes: 1, maxBackups: 2, compress: true };
  const file = openLogFile(path, rotation, () => now);
  for (const text of ["a", "b", "c", "d"]) {
    file.write(text);
    now += day;
  }
  await file.close();
  const old = ["audit-2026-11-23T10-00-00.123.log.gz", "audit-2026-11-24T10-00-00.123.log.gz"];
  assert.deepEqual(readdirSync(dirname(path)), [...old, "audit.log"]);
  const texts = old.map((name) => {
    const inFolder = join(dirname(path), name);
    assert.equal(statSync(inFolder).mode & 0o777, 0o600);
    return gunzipSync(readFileSync(inFolder)).toString();
  });
  assert.deepEqual(texts, ["b", "c"]);
});
