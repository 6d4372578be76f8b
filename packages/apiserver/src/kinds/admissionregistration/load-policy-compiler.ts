// Loads the compiler of expressions with the first policy or match condition: most servers never
// see one, and CEL is a third of the modules.
import { createRequire } from "node:module";

/** The compiler. Loading is synchronous and happens once. */
export function loadPolicyCompiler(): typeof import("./compile-policy-expression.ts") {
  // Sources and the published package differ in the extension, and nothing rewrites this path.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return createRequire(import.meta.url)(
    `./compile-policy-expression${extension}`,
  ) as typeof import("./compile-policy-expression.ts");
}
