// The controller of ReplicaSets.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";
import { ReplicaSet } from "homeostat/k8s/apps/v1";
import { ReplicaSetController } from "./replica-set-controller.ts";

/** Starts `replicaset`. */
export const start: Start = async (context) =>
  new ReplicaSetController(context, {
    kind: ReplicaSet,
    component: "replicaset-controller",
    selector: ({ selector }) => toSelector(selector),
    countsTerminating: true,
  });
