// Replication controllers: the keeper of pods whose selector is a set of labels.
// Upstream: k8s.io/kubernetes/pkg/controller/replication (replication_controller.go,
// conversion.go).
import { toSelector } from "../claim-dependents.ts";
import { startReplicaKeeper } from "../replica-set/replica-keeper.ts";
import type { Simulator } from "../simulator.ts";
import { replicationControllerKind } from "../workload-objects.ts";

/** Starts the controller of replication controllers. */
export const startReplicationControllers: Simulator["start"] = async (context) =>
  startReplicaKeeper(context, {
    kind: replicationControllerKind,
    component: "replication-controller",
    selector: ({ selector }) =>
      selector && toSelector({ matchLabels: selector as Readonly<Record<string, string>> }),
    countsTerminating: false,
  });
