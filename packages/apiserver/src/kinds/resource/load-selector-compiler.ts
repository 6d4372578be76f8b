// Loads the compiler of selectors with the first selector: most servers never see one, and CEL is a
// third of the modules.
import { createRequire } from "node:module";

/** The compiler. Loading is synchronous and happens once. */
export function loadSelectorCompiler(): typeof import("./compile-selector.ts") {
  // Sources and the published package differ in the extension, and nothing rewrites this path.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return createRequire(import.meta.url)(
    `./compile-selector${extension}`,
  ) as typeof import("./compile-selector.ts");
}
