// Where the lines about one controller's objects go.
import type { Clock } from "../../runtime/clock.ts";
import type { ReconcileLog } from "../define-controller.ts";

/** The log of one controller. */
export interface ControllerLog {
  readonly log: ReconcileLog;
  readonly clock: Clock;
  readonly controller: string;
  readonly kind: string;
}
