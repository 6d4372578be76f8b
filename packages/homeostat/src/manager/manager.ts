// The composition root.
import { HomeostatError } from "../util/homeostat-error.ts";
import { checkOptions } from "./check-options.ts";
import { createClusterManager } from "./cluster-manager.ts";
import { createMultiClusterManager } from "./clusters/multi-cluster-manager.ts";
import type {
  CoreManager,
  Manager,
  ManagerOptions,
  MultiClusterOptions,
} from "./manager-options.ts";
import { createOperations, operated, type Operations } from "./operations.ts";

/**
 * Creates a manager of one cluster (`client`) or of several (`clusters`). Nothing is read or
 * written before `start`.
 * @throws ERR_CONTROLLER_NAME for an invalid name, or one that two controllers share;
 * ERR_MANAGER_NAMESPACES for namespaces that cannot be watched; ERR_MANAGER_CLUSTERS without client
 * and clusters, or with both; ERR_MANAGER_OPTIONS for other options that cannot work.
 */
export function createManager(options: ManagerOptions | MultiClusterOptions): Manager {
  checkOptions(options);
  const { client, clusters, operator } = options;
  if ((client === undefined) === (clusters === undefined))
    throw new HomeostatError(
      "ERR_MANAGER_CLUSTERS",
      `creating the manager of ${operator}: expected either \`client\` or \`clusters\``,
      { hint: "give `client` for one cluster, `clusters` for several" },
    );
  const operations = createOperations(options);
  return operated(createCore(options, operations), operations);
}

function createCore(
  options: ManagerOptions | MultiClusterOptions,
  operations: Operations,
): CoreManager {
  if (options.clusters !== undefined) return createMultiClusterManager(options, operations);
  return createClusterManager({
    ...options,
    metrics: operations.metrics?.ofCluster(undefined),
    tracing: operations.tracing,
    introspection: operations.introspection,
    watchdog: operations.watchdog,
  });
}
