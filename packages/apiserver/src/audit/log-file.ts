// A log file that is rotated: before it would exceed its size it is renamed by the time, and the
// oldest of the renamed files are removed, by number and by age, and the others compressed.
// Upstream: gopkg.in/natefinch/lumberjack.v2 (lumberjack.go), k8s.io/apiserver/pkg/server/options/
// audit.go (ensureLogFile).
import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from "node:fs";
import { chmod, readdir, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { pipeline } from "node:stream/promises";

/** When a file is rotated and which of the old ones stay; 0 sets no limit. */
export interface Rotation {
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  /** Old files become `audit-….log.gz`. */
  readonly compress: boolean;
}

/** A file that is written to at its end. */
export interface LogFile {
  /** Writes all of it. Throws the error of the system. */
  write(text: string): void;
  /** Resolves once files that are due have been removed. */
  close(): Promise<void>;
}

const dayMs = 86_400_000;

/** Opens or creates the file and the folders above it. */
export function openLogFile(path: string, rotation: Rotation, now: () => number): LogFile {
  let size = 0;
  let removal = Promise.resolve();
  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const opened = openSync(path, "a", 0o600);
    size = fstatSync(opened).size;
    return opened;
  };
  // Undefined after a fault of the system. The number of a closed file may be that of another one.
  let fd: number | undefined = open();
  const close = (): void => {
    const closed = fd;
    fd = undefined;
    if (closed !== undefined) closeSync(closed);
  };
  const rotate = (): void => {
    close();
    if (existsSync(path)) renameSync(path, backupPath(path, now()));
    fd = open();
    removal = removal.then(() => removeOld(path, rotation, now()));
  };
  return {
    write(text) {
      const bytes = Buffer.from(text);
      const { maxBytes } = rotation;
      if (maxBytes > 0 && bytes.length > maxBytes)
        throw new Error(`write length ${bytes.length} exceeds maximum file size ${maxBytes}`);
      fd ??= open();
      if (maxBytes > 0 && size > 0 && size + bytes.length > maxBytes) rotate();
      for (let at = 0; at < bytes.length;) {
        const written = writeSync(fd, bytes, at);
        at += written;
        size += written;
      }
    },
    async close() {
      close();
      await removal;
    },
  };
}

/** `audit-2026-11-21T10-00-00.123.log` for `audit.log`. */
function backupPath(path: string, ms: number): string {
  const time = new Date(ms).toISOString().slice(0, -1).replaceAll(":", "-");
  const { prefix, extension } = namesOf(path);
  return join(dirname(path), `${prefix}${time}${extension}`);
}

function namesOf(path: string): { readonly prefix: string; readonly extension: string } {
  const extension = extname(path);
  return { prefix: `${basename(path, extension)}-`, extension };
}

const timeInName = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d\.\d{3})$/;

const compressed = ".gz";

/**
 * Removes what is too old or too much, and compresses the rest if it is asked to; a file that
 * cannot be removed stays.
 */
async function removeOld(
  path: string,
  { maxBackups, maxAgeDays, compress }: Rotation,
  nowMs: number,
): Promise<void> {
  const { prefix, extension } = namesOf(path);
  const folder = dirname(path);
  const names = await readdir(folder).catch((): string[] => []);
  const backups = names
    .filter((name) => name.startsWith(prefix) && plainName(name).endsWith(extension))
    .flatMap((name) => {
      const time = plainName(name).slice(prefix.length, -extension.length || undefined);
      const [, hour, minute, second] = timeInName.exec(time) ?? [];
      return hour ? { name, ms: Date.parse(`${hour}:${minute}:${second}Z`) } : [];
    })
    .toSorted((a, b) => b.ms - a.ms);
  const isDue = (ms: number, at: number): boolean =>
    (maxBackups > 0 && at >= maxBackups) || (maxAgeDays > 0 && nowMs - ms > maxAgeDays * dayMs);
  const due = backups.filter(({ ms }, at) => isDue(ms, at));
  await Promise.allSettled(due.map(({ name }) => unlink(join(folder, name))));
  const left = backups.filter(({ name, ms }, at) => !isDue(ms, at) && plainName(name) === name);
  if (compress) await Promise.allSettled(left.map(({ name }) => gzipFile(join(folder, name))));
}

const plainName = (name: string): string =>
  name.endsWith(compressed) ? name.slice(0, -compressed.length) : name;

/** Puts a compressed file in the place of the file. */
async function gzipFile(path: string): Promise<void> {
  const { createGzip } = await import("node:zlib");
  const target = path + compressed;
  try {
    await pipeline(
      createReadStream(path),
      createGzip(),
      createWriteStream(target, { mode: 0o600 }),
    );
    await chmod(target, 0o600);
  } catch (error) {
    await unlink(target).catch(() => {});
    throw error;
  }
  await unlink(path);
}
