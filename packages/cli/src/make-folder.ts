// Makes a folder and those above it. Node's own recursive mkdir never ends below folders in which
// nothing can be made, such as /proc: it tries the parent again for every ENOENT (nodejs/node,
// lib/fs.js).
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Makes `folder` where it is missing. Throws what mkdir throws. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
