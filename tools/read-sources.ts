// Reads source trees for the architecture checks.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A file of the tree. */
export interface Source {
  /** From the root, with slashes: `packages/homeostat/src/api/gvk.ts`. */
  readonly path: string;
  readonly text: string;
}

const skipped = new Set(["node_modules", "dist", ".git", ".cache", ".homeostat", "coverage"]);

/**
 * All files under the folders whose names end in one of `endings`; folders that are missing count
 * as empty.
 */
export function readSources(
  root: string,
  folders: readonly string[],
  endings: readonly string[] = [".ts"],
): readonly Source[] {
  return folders
    .flatMap((folder) => filesUnder(root, folder, endings))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

function filesUnder(root: string, folder: string, endings: readonly string[]): readonly string[] {
  return entriesOf(join(root, folder)).flatMap((entry) => {
    const path = folder === "." ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(root, path, endings);
    return endings.some((ending) => entry.name.endsWith(ending)) ? [path] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** True for files that only tests load: unit tests and the suites that several of them share. */
export const isTest = (path: string): boolean => /\.(test|suite|reference)\.ts$/.test(path);
