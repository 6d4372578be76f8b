/**
 * The test kit: an API server and controllers inside the test process.
 * @module @homeostat/testing
 */
export { type NodeReadiness, type PodFate, setNodeReadiness, setPodFate } from "./steer-pods.ts";
export { testCluster, type TestCluster } from "./test-cluster.ts";
export type { TestClusterOptions } from "./test-cluster-options.ts";
