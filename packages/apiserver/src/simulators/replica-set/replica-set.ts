// Replica sets: the keeper of pods with a selector object.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { toSelector } from "../claim-dependents.ts";
import type { Simulator } from "../simulator.ts";
import { replicaSetKind } from "../workload-objects.ts";
import { startReplicaKeeper } from "./replica-keeper.ts";

/** Starts the controller of replica sets. */
export const startReplicaSets: Simulator["start"] = async (context) =>
  startReplicaKeeper(context, {
    kind: replicaSetKind,
    component: "replicaset-controller",
    selector: ({ selector }) => toSelector(selector),
    countsTerminating: true,
  });
