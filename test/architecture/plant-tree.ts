// A file tree in the temporary folder, for checks that must fail on it. Removed when the scope that
// planted it ends.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Writes `files` (path → text) under a new folder: `using tree = plantTree({ "a/b.ts": "" })`. */
export function plantTree(
  files: Readonly<Record<string, string>>,
): Disposable & { readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), "homeostat-tree-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) };
}
