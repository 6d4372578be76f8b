// Replica sets: the keeper of pods with a selector object.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { toSelector } from "../../component-helpers/workloads/controller-ref-manager.ts";
import type { ControllerDescriptor } from "../../component-helpers/controller/controller.ts";
import { replicaSetKind } from "../../component-helpers/workloads/workload-objects.ts";
import { startReplicaKeeper } from "./replica-keeper.ts";

/** Starts the controller of replica sets. */
export const startReplicaSets: ControllerDescriptor["start"] = async (context) =>
  startReplicaKeeper(context, {
    kind: replicaSetKind,
    component: "replicaset-controller",
    selector: ({ selector }) => toSelector(selector),
    countsTerminating: true,
  });
