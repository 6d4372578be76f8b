// Takes from the state of a cluster's manager what introspection reads.
import type { ManagerState } from "../manager-state.ts";
import type { ClusterInspection } from "./cluster-inspection.ts";

export function inspectCluster(state: ManagerState): ClusterInspection {
  const { options, runners, definitions, cache, leadership, webhooks } = state;
  const election = leadership?.election();
  const ring = leadership?.ring();
  const concurrencyOf = (name: string): number =>
    definitions.find((one) => one.name === name)?.concurrency ?? 1;
  return {
    cluster: options.cluster,
    controllers: runners.map((runner) => ({ runner, concurrency: concurrencyOf(runner.name) })),
    definitions,
    informers: cache.informers(),
    elections: election ? [election] : [],
    rings: ring ? [ring] : [],
    webhooks: webhooks?.report(),
  };
}
