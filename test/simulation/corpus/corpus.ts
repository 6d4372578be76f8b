// All planted bugs.
import { memoryBugs } from "./memory.ts";
import { orderBugs } from "./order-of-writes.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { staleBugs } from "./stale-views.ts";

export const corpus: readonly PlantedBug[] = [...memoryBugs, ...orderBugs, ...staleBugs];

/** Those that a sweep does not find, and why. */
export const missed: ReadonlyMap<string, string> = new Map();
