// Creates a folder and its missing parents, one after the other: Node's recursive mkdir never
// returns below folders that refuse children, such as /proc (nodejs/node, lib/fs.js: it retries the
// parent for every ENOENT).
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** Creates `folder` and missing parents with `mode`. Throws the errors of mkdir. */
export function makeFolders(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) makeOne(each, mode);
  if (missing.length === 0 && !statSync(folder).isDirectory()) mkdirSync(folder);
}

/** Tolerates a folder that another process creates meanwhile. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error;
  }
}
