// What can be wrong with a run.

/** The oracles, by the names under which a scenario can leave one out. */
export type Oracle =
  | "converges"
  | "workload"
  | "same-end-state"
  | "same-creations"
  | "same-deletions"
  | "deletes-only-its-own"
  | "leaves-nothing-behind"
  | "readiness"
  | "follows-its-spec"
  | "no-empty-status-write"
  | "invariants";

/** One thing that is wrong. */
export interface Violation {
  readonly oracle: Oracle;
  readonly what: string;
}
