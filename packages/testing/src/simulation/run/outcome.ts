// What one run came to.
import type { JsonObject } from "homeostat/api";
import type { Moment } from "../faults/agenda.ts";
import type { EndState } from "../oracles/end-state.ts";
import type { Write } from "./ledger.ts";
import type { Plan } from "./plan.ts";
import type { Trace } from "./trace.ts";

/** The server's objects while the operator is at rest. */
export interface Rest {
  /** All that have changed since the beginning. */
  readonly objects: readonly JsonObject[];
  /** How requests address them: `orders shop/a`. */
  readonly targets: ReadonlySet<string>;
  /** The same, comparable. */
  readonly state: EndState;
}

/** What one run came to. */
export interface Outcome {
  readonly plan: Plan;
  /** At which deeds could be committed. */
  readonly moments: readonly Moment[];
  /** The operator has taken the wall clock from Node. */
  readonly usesDate: boolean;
  readonly writes: readonly Write[];
  readonly trace: Trace;
  /** Each time when the workload saw the operator at rest, and in the end. */
  readonly rests: readonly Rest[];
  /** Invariants that did not hold at some moment, in words. */
  readonly broken: readonly string[];
  /** Objects whose owners are gone are collected. */
  readonly hasGarbageCollector: boolean;
  /** Why the workload did not come to its end. */
  readonly error: Error | undefined;
  /** What the operator's processes logged. */
  readonly logs: readonly string[];
  /** Virtual ms. */
  readonly took: number;
}
