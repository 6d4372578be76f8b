// What a core may ask of the world: time, randomness, and "later, but soon". Shared by server,
// client and simulators, so that one virtual runtime makes a whole cluster deterministic.
import type { Clock } from "./clock.ts";
import type { Entropy } from "./entropy.ts";

/** The three effects that cores are given. */
export interface Runtime {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Runs `run` after the current call stack, in order, before any timer. */
  readonly defer: (run: () => void) => void;
}
