// The effects that cores use: time, randomness and deferral. Server, client and controllers share
// one runtime, so that one virtual runtime makes a whole cluster deterministic.
import type { Clock } from "./clock.ts";
import type { Entropy } from "./entropy.ts";

/** The three effects of the cores. */
export interface Runtime {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Runs `run` after the current call stack, in order, before any timer. */
  readonly defer: (run: () => void) => void;
}
