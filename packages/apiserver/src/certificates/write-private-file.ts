// Files that hold credentials: only their owner may read them, and whoever reads one, at any moment
// and after any crash, finds it whole or not at all.
import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file whole, mode 0600. Its folder must exist. */
export function writePrivateFile(path: string, text: string): void {
  const draft = `${path}.${process.pid}.tmp`;
  const file = openSync(draft, "w", 0o600);
  try {
    writeFileSync(file, text);
    // A name that outlives a power cut must not lead to an empty file.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(draft, 0o600);
  renameSync(draft, path);
}
