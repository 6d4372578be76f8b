// Creates a folder and its parents. Node's recursive mkdir loops forever below folders in which no
// folder can be created, such as /proc: it retries the parent for every ENOENT (nodejs/node,
// lib/fs.js).
import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/** Creates `folder` if it is missing. Throws what mkdir throws. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
}
