// Replication controllers: the keeper of pods whose selector is a set of labels.
// Upstream: k8s.io/kubernetes/pkg/controller/replication (replication_controller.go,
// conversion.go).
import { toSelector } from "../../component-helpers/workloads/controller-ref-manager.ts";
import { startReplicaKeeper } from "../replica-set/replica-keeper.ts";
import type { ControllerDescriptor } from "../../component-helpers/controller/controller.ts";
import { replicationControllerKind } from "../../component-helpers/workloads/workload-objects.ts";

/** Starts the controller of replication controllers. */
export const startReplicationControllers: ControllerDescriptor["start"] = async (context) =>
  startReplicaKeeper(context, {
    kind: replicationControllerKind,
    component: "replication-controller",
    selector: ({ selector }) =>
      selector && toSelector({ matchLabels: selector as Readonly<Record<string, string>> }),
    countsTerminating: false,
  });
