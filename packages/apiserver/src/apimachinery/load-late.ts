// Loads a module of this package when it is first needed: what a start does not need must not be
// paid for by it. Synchronous, because strategies and validators are.
import { createRequire } from "node:module";

/**
 * Loads `path`, relative to the module `from` and without extension; later calls return the same
 * module. The caller states its type: `loadLate(import.meta.url, "./engine") as typeof
 * import("./engine.ts")`.
 */
export function loadLate(from: string, path: string): unknown {
  // Sources and the published package differ in the extension, and nothing rewrites this path.
  return createRequire(from)(`${path}${from.slice(from.lastIndexOf("."))}`);
}
