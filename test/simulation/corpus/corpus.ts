// All planted bugs.
import { deletionBugs } from "./deletion.ts";
import { errorBugs } from "./errors.ts";
import { memoryBugs } from "./memory.ts";
import { orderBugs } from "./order-of-writes.ts";
import type { PlantedBug } from "./planted-bug.ts";
import { specBugs } from "./spec-changes.ts";
import { staleBugs } from "./stale-views.ts";
import { statusBugs } from "./status.ts";
import { writerBugs } from "./writers.ts";

export const corpus: readonly PlantedBug[] = [
  ...memoryBugs,
  ...orderBugs,
  ...staleBugs,
  ...deletionBugs,
  ...statusBugs,
  ...errorBugs,
  ...writerBugs,
  ...specBugs,
];

/** Those that a sweep does not find, and why. */
export const missed: ReadonlyMap<string, string> = new Map([
  [
    "another's entry overwritten",
    "what is lost depends on the order of things, also when nothing goes wrong, and places that differ between clean runs are not compared",
  ],
  [
    "not made again",
    "an operator need not mend what others do to its objects, and nothing says that this one does",
  ],
]);
