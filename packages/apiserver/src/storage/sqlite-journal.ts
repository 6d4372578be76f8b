// The journal on disk: one SQLite file with a write-ahead log. Batches of one turn of the event
// loop share a transaction. Acknowledged writes survive SIGKILL, and with `fsync` also power loss.
// Compaction deletes rows in small portions between writes; SQLite reuses their pages, and opening
// a file of mostly empty pages vacuums it. Knows nothing of objects. Imports node:sqlite only when
// a journal is opened.
import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import type { ObjectAttributes, Journal, Revision } from "./store.ts";

export interface SqliteJournalOptions {
  /** Path of the database file; its folder must exist. */
  readonly file: string;
  /** Waits for the disk on every commit (SQLite's synchronous=FULL instead of NORMAL). */
  readonly fsync?: boolean;
}

/** The file is unusable: of another format, open in another process, or damaged. */
export class JournalError extends Error {
  override readonly name = "JournalError";
  readonly code:
    | "ERR_JOURNAL_LOCKED"
    | "ERR_JOURNAL_FORMAT"
    | "ERR_JOURNAL_DAMAGED"
    | "ERR_JOURNAL_OPEN";

  constructor(code: JournalError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Rows of format 1 have no checksum. */
const formatVersion = 2;
/** Rows to delete at a time; writes wait for these few milliseconds. */
const sweepRows = 500;
/** Size limit of the write-ahead log after a checkpoint, and of empty pages before a vacuum. */
const spareBytes = 8 * 2 ** 20;
const types = ["ADDED", "MODIFIED", "DELETED"] as const;
/** Column `facts` holds the attributes of a revision; its name belongs to the disk format. */
const schema = `
  CREATE TABLE IF NOT EXISTS revisions (
    revision INTEGER PRIMARY KEY, key TEXT NOT NULL, created INTEGER NOT NULL, epoch INTEGER NOT NULL,
    type INTEGER NOT NULL, bytes BLOB NOT NULL, facts TEXT NOT NULL, checksum INTEGER);
  CREATE TABLE IF NOT EXISTS marks (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
  PRAGMA user_version = ${formatVersion};`;

/** Opens or creates a journal file. Throws {@link JournalError}. */
export async function openSqliteJournal(options: SqliteJournalOptions): Promise<Journal> {
  const { DatabaseSync: Database } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    // Objects may be secrets, readable by the owner only. SQLite gives its other files this mode
    // too.
    closeSync(openSync(options.file, "a", 0o600));
    database = new Database(options.file);
    prepare(database, options);
    return new SqliteJournal(database, options.file);
  } catch (error) {
    database?.close();
    throw toJournalError(error, options.file);
  }
}

function prepare(database: DatabaseSync, options: SqliteJournalOptions): void {
  database.exec(
    `PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = ${spareBytes}; PRAGMA synchronous = ${options.fsync ? "FULL" : "NORMAL"};`,
  );
  const found = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (found < 0 || found > formatVersion) {
    throw new JournalError(
      "ERR_JOURNAL_FORMAT",
      `open ${options.file}: expected journal format ${formatVersion}, found ${found}; use the version that wrote it, or another data directory`,
    );
  }
  const upgrade = found === 1 ? "ALTER TABLE revisions ADD COLUMN checksum INTEGER;" : "";
  database.exec(`BEGIN IMMEDIATE; ${upgrade} ${schema} COMMIT;`);
}

function toJournalError(error: unknown, file: string): unknown {
  if (error instanceof JournalError || !(error instanceof Error)) return error;
  const locked = /locked|busy/.test(error.message);
  return locked
    ? new JournalError(
        "ERR_JOURNAL_LOCKED",
        `open ${file}: another process has it open; stop that server, or use another data directory`,
        { cause: error },
      )
    : new JournalError(
        "ERR_JOURNAL_OPEN",
        `open ${file}: ${error.message}; expected a file that SQLite can read and write`,
        { cause: error },
      );
}

interface Waiting {
  readonly batch: readonly Revision[];
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class SqliteJournal implements Journal {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  #waiting: Waiting[] = [];
  #compacted: number;
  /** Revisions whose rows are to be deleted. */
  #unneeded: number[] = [];
  #closed = false;

  constructor(database: DatabaseSync, file: string) {
    this.#database = database;
    this.#file = file;
    this.#insert = database.prepare("INSERT INTO revisions VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    this.#delete = database.prepare("DELETE FROM revisions WHERE revision = ?");
    this.#compacted = Number(
      database.prepare("SELECT value FROM marks WHERE name = 'compacted'").get()?.["value"] ?? 0,
    );
  }

  load(each: (revision: Revision) => void): void {
    this.#dropReplaced();
    this.#shrink();
    const rows = this.#database.prepare(
      "SELECT revision, key, created, epoch, type, bytes, facts, checksum FROM revisions ORDER BY revision",
    );
    rows.setReturnArrays(true);
    for (const row of rows.iterate() as Iterable<unknown>) each(fromRow(row as Row, this.#file));
  }

  append(batch: readonly Revision[]): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ batch, resolve, reject });
    if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    return promise;
  }

  compact(revision: number, replaced: readonly number[]): void {
    if (revision <= this.#compacted) return;
    this.#compacted = revision;
    this.#database
      .prepare(
        "INSERT INTO marks VALUES ('compacted', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      )
      .run(revision);
    const sweeping = this.#unneeded.length > 0;
    this.#unneeded.push(...replaced);
    if (!sweeping && replaced.length) setImmediate(() => this.#sweep());
  }

  compacted(): number {
    return this.#compacted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#flush();
    this.#database.close();
  }

  /** Writes all waiting batches in one transaction; if it fails, each batch in one of its own. */
  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (!waiting.length) return;
    if (waiting.length > 1 && this.#write(waiting.flatMap((each) => each.batch)) === undefined) {
      for (const each of waiting) each.resolve();
      return;
    }
    for (const each of waiting) {
      const error = this.#write(each.batch);
      if (error === undefined) each.resolve();
      else each.reject(error);
    }
  }

  #write(batch: readonly Revision[]): unknown {
    try {
      this.#database.exec("BEGIN");
      for (const r of batch) {
        const attributes = JSON.stringify(r.attributes);
        this.#insert.run(
          r.revision,
          r.key,
          r.created,
          r.schemaEpoch,
          types.indexOf(r.type),
          r.bytes,
          attributes,
          checksumOf(r.key, r.bytes, attributes),
        );
      }
      this.#database.exec("COMMIT");
      return undefined;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      return error ?? new Error("write to the journal: SQLite failed without a reason");
    }
  }

  /** Deletes a portion of the rows. After a crash the next load deletes the rest. */
  #sweep(): void {
    if (this.#closed) return;
    const portion = this.#unneeded.splice(0, sweepRows);
    try {
      this.#database.exec("BEGIN");
      for (const revision of portion) this.#delete.run(revision);
      this.#database.exec("COMMIT");
    } catch {
      // E.g. a full disk: the rows stay until the next load, and writes report the error.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
    }
    if (this.#unneeded.length) setImmediate(() => this.#sweep());
  }

  /** Vacuums the file when most of its pages are empty. */
  #shrink(): void {
    const pragma = (name: string): number =>
      Number(this.#database.prepare(`PRAGMA ${name}`).get()?.[name]);
    const free = pragma("freelist_count");
    if (free * 2 > pragma("page_count") && free * pragma("page_size") > spareBytes)
      this.#database.exec("VACUUM");
  }

  #dropReplaced(): void {
    this.#database
      .prepare(
        `DELETE FROM revisions WHERE revision <= ?1 AND (type = ${types.indexOf("DELETED")}
           OR revision NOT IN (SELECT max(revision) FROM revisions WHERE revision <= ?1 GROUP BY key))`,
      )
      .run(this.#compacted);
  }
}

type Row = readonly [
  revision: number,
  key: string,
  created: number,
  epoch: number,
  type: number,
  bytes: Uint8Array,
  attributes: string,
  checksum: number | null,
];

const checksumOf = (key: string, bytes: Uint8Array, attributes: string): number =>
  crc32(attributes, crc32(bytes, crc32(key)));

/** Checksums reveal damage on load, before anything uses the data. */
function fromRow(
  [revision, key, created, schemaEpoch, type, bytes, attributes, checksum]: Row,
  file: string,
): Revision {
  if (checksum !== null && checksum !== checksumOf(key, bytes, attributes))
    throw damaged(file, key, revision, "its checksum does not match");
  try {
    return {
      revision,
      key,
      created,
      schemaEpoch,
      type: types[type] ?? "MODIFIED",
      bytes,
      attributes: JSON.parse(attributes) as ObjectAttributes,
    };
  } catch (error) {
    throw damaged(file, key, revision, reasonOf(error));
  }
}

function damaged(file: string, key: string, revision: number, reason: string): JournalError {
  const remedy = "restore the data directory from a copy, or use another one";
  return new JournalError(
    "ERR_JOURNAL_DAMAGED",
    `read ${file}: the row of ${key} at revision ${revision} is damaged: ${reason}; ${remedy}`,
  );
}
