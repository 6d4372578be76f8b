// The two kinds that keep a number of pods, in the form in which one controller handles both.
// Upstream: k8s.io/kubernetes/pkg/controller/replication/conversion.go.
import type { ReplicaSet, ReplicaSetSpec } from "homeostat/k8s/apps/v1";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";

/** What apps/v1 ReplicaSet and core/v1 ReplicationController have in common. */
export interface ReplicaOwner extends ApiObject {
  readonly spec: Pick<ReplicaSetSpec, "replicas" | "minReadySeconds" | "template">;
  readonly status: ReplicaSet["status"];
}
