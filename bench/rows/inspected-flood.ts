// What introspection costs an operator: the flood by turns.
import { floodByTurns, orders, slices } from "./flood-by-turns.ts";
import type { ServerRow } from "./row.ts";
import { type OperatorChoices, watchStates } from "./start-operator.ts";

const contenders: ReadonlyMap<string, OperatorChoices> = new Map(
  watchStates.map((watched) => [watched, { workers: 10, watched }]),
);

export const inspectedFloodRow: ServerRow = {
  at: "server",
  name: "flood-inspected",
  what: `the flood for controllers with ${watchStates.join(", ")}: ${orders} orders each, in ${slices} slices by turns`,
  note: "each beside what comes before it; the first quarter of the slices warms up, unmeasured",
  run: (place, scale) => floodByTurns(place, scale, contenders),
};
