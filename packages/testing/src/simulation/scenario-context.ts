// What a scenario's workload is given.
import type { Client } from "homeostat/client";

/** The world as its user sees it. */
export interface ScenarioContext<E = object> {
  /** As of a user with kubectl, apart from the operator. */
  readonly client: Client;
  /**
   * Waits until the operator is at rest. @throws ERR_SCENARIO_NOT_CONVERGED after ten minutes of
   * virtual time, naming what fails or loops
   */
  converge(): Promise<void>;
  /** The fakes themselves. */
  readonly externals: E;
  readonly clock: {
    /** Virtual ms since 1970-01-01 UTC. */
    now(): number;
    /** Lets time pass: `10m`, `1h30m`, or ms. */
    advance(duration: string | number): Promise<void>;
  };
}

/** What a user does, step by step. */
export type Workload<E = object> = (context: ScenarioContext<E>) => Promise<void>;
