// Writes files that hold credentials: readable by their owner only, and atomically, also after a
// crash.
import {
  chmodSync,
  closeSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";

/** Writes a file atomically with mode 0600. Its folder must exist. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  const file = openSync(draft, "w", 0o600);
  try {
    try {
      writeFileSync(file, text);
      // After a power loss the new name must not refer to an empty file.
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    chmodSync(draft, 0o600);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
