// The controller of ReplicationControllers: the ReplicaSet controller with label selectors that are
// plain maps.
// Upstream: k8s.io/kubernetes/pkg/controller/replication (replication_controller.go,
// conversion.go).
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { ReplicaSetController } from "../replica-set/replica-set-controller.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";
import { ReplicationController } from "homeostat/k8s/core/v1";

/** Starts `replicationcontroller`. */
export const start: Start = async (context) =>
  new ReplicaSetController(context, {
    kind: ReplicationController,
    component: "replication-controller",
    selector: ({ selector }) => selector && toSelector({ matchLabels: selector }),
    countsTerminating: false,
  });
