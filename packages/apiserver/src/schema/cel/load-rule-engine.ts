// Brings in the engine behind rules when the first rule asks for it: most servers start without
// one, and the engine is a third of what there is to load.
import { createRequire } from "node:module";

/** The engine. Loading is synchronous and happens once. */
export function loadRuleEngine(): typeof import("./rule-engine.ts") {
  // Sources and the published package differ in the extension, and nothing rewrites this path.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return createRequire(import.meta.url)(
    `./rule-engine${extension}`,
  ) as typeof import("./rule-engine.ts");
}
