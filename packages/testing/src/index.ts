/**
 * The test kit: an API server and controllers inside the test process.
 * @module @homeostat/testing
 */
export type { TestClock } from "./clock/test-clock.ts";
export type { SettleOptions } from "./cluster/settle.ts";
export { needsEmbedded } from "./cluster/real-place.ts";
export { testCluster, type TestCluster } from "./cluster/test-cluster.ts";
export type { TestClusterOptions } from "./cluster/test-cluster-options.ts";
export type { TestCache } from "./faults/disturbances.ts";
export type {
  FaultAnswer,
  FaultScope,
  RequestFault,
  TestFault,
  TestFaults,
} from "./faults/test-fault.ts";
export type { OnceWrite } from "./once/given-server.ts";
export {
  type Given,
  reconcileOnce,
  type ReconciledOnce,
  type ReconcileOnceOptions,
} from "./once/reconcile-once.ts";
export { type NodeReadiness, type PodFate, setNodeReadiness, setPodFate } from "./steer-pods.ts";
export type { ScenarioContext, Workload } from "./simulation/scenario-context.ts";
export { type Certificate, scenario, type Scenario } from "./simulation/scenario.ts";
export type { ScenarioSetup, SweepOptions } from "./simulation/scenario-options.ts";
export type { Invariant, Invariants, WorldView } from "./simulation/oracles/invariants.ts";
export type { Oracle } from "./simulation/oracles/violation.ts";
export type { ExploreOptions } from "./simulation/modes/explore-plans.ts";
export type { Outcome } from "./simulation/run/outcome.ts";
