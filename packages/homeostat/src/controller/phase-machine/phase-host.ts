// What a run lends to a phase machine.
import type { Clock } from "../../runtime/clock.ts";
import type { PhaseCalls } from "./phase-calls.ts";

/** The reconcile that a machine steps in. */
export interface PhaseHost {
  /** Uid of the object. */
  readonly uid: string;
  readonly calls: PhaseCalls;
  /** The manager's. */
  readonly clock?: Pick<Clock, "now">;
  /** Set when `act` has failed: a failed run is repeated after this long at the earliest. */
  leastRetryMs?: number;
  /** Writes the status set so far, before the reconcile ends. Rejects as the request does. */
  saveStatus(): Promise<unknown>;
}
