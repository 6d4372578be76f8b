// Replica sets: the keeper of pods with a selector object.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { toSelector } from "../claim-dependents.ts";
import type { Simulator } from "../simulator.ts";
import { replicaSetKind } from "../workload-objects.ts";
import { startReplicaKeeper } from "./replica-keeper.ts";

/** `replicaset`, as kube-controller-manager calls it. */
export const replicaSet: Simulator = {
  name: "replicaset",
  byDefault: false,
  start: async (context) => startReplicaKeeper(context, { kind: replicaSetKind, component: "replicaset-controller", selector: ({ selector }) => toSelector(selector), countsTerminating: true }),
};
