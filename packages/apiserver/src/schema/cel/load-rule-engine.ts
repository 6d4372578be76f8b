// Loads the rule engine with the first rule: most servers start without one, and the engine is a
// third of all code to load.
import { loadLate } from "../../apimachinery/load-late.ts";

/** Returns the engine. Loads it synchronously on the first call. */
export function loadRuleEngine(): typeof import("./rule-engine.ts") {
  return loadLate(import.meta.url, "./rule-engine") as typeof import("./rule-engine.ts");
}
