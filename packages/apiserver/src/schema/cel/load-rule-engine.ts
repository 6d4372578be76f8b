// Loads the rule engine with the first rule: most servers start without one, and the engine is a
// third of all code to load.
import { createRequire } from "node:module";

/** Returns the engine. Loads it synchronously on the first call. */
export function loadRuleEngine(): typeof import("./rule-engine.ts") {
  // The extension is .ts in the sources and .js in the published package; tsc leaves it alone.
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf("."));
  return createRequire(import.meta.url)(
    `./rule-engine${extension}`,
  ) as typeof import("./rule-engine.ts");
}
