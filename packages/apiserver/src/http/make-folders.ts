// Makes a folder and those above it, one after the other: Node's own recursive mkdir never ends
// below folders in which nothing can be made, such as /proc (nodejs/node, lib/fs.js: it tries the
// parent again for every ENOENT).
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes `folder` where it is missing, with `mode` for those that it makes. Throws what mkdir
 * throws.
 */
export function makeFolders(folder: string, mode: number): void {
  const missing: string[] = [];
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const each of missing) makeOne(each, mode);
  if (missing.length === 0 && !statSync(folder).isDirectory()) mkdirSync(folder);
}

/** Somebody else may be faster; a folder is a folder. */
function makeOne(folder: string, mode: number): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error;
  }
}
