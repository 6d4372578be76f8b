/**
 * The test kit: a real API server inside the test process.
 * @module @homeostat/testing
 */
export { testCluster, type TestCluster, type TestClusterOptions } from "./test-cluster.ts";
