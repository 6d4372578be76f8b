/**
 * The test kit: an API server and controllers inside the test process.
 * @module @homeostat/testing
 */
export { type NodeReadiness, type PodFate, setNodeReadiness, setPodFate } from "./steer-pods.ts";
export type { ScenarioContext, Workload } from "./simulation/scenario-context.ts";
export {
  type Certificate,
  scenario,
  type Scenario,
  type SweepOptions,
} from "./simulation/scenario.ts";
export type { SimulationSetup } from "./simulation/run/simulation-setup.ts";
export type { Outcome } from "./simulation/run/outcome.ts";
export { testCluster, type TestCluster } from "./test-cluster.ts";
export type { TestClusterOptions } from "./test-cluster-options.ts";
