// The scheduler's view of the cluster at one moment, and the result of a filter. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/backend/cache/snapshot.go,
// k8s.io/kube-scheduler/framework/interface.go (Status, Code).
import type { Node, Pod } from "homeostat/k8s/core/v1";

/** Nodes and pods at one moment. Assumed pods are on their nodes. */
export interface Snapshot {
  readonly nodes: readonly Node[];
  /** The pods of a node that have not finished. */
  readonly podsOn: (node: string) => readonly Pod[];
  /** The sum of a pod's requests, in billionths by resource name. */
  readonly requestsOf: (pod: Pod) => ReadonlyMap<string, bigint>;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
}

/** Why a node does not fit a pod. */
export interface FilterStatus {
  readonly reasons: readonly string[];
  /** False means UnschedulableAndUnresolvable: preemption on the node does not help. */
  readonly resolvable: boolean;
}

/** A filter for one pod, with its PreFilter work done. Undefined means that the node fits. */
export type NodeFilter = (node: Node) => FilterStatus | undefined;

export const unresolvable = (reason: string): FilterStatus => ({
  reasons: [reason],
  resolvable: false,
});
export const unschedulable = (...reasons: readonly string[]): FilterStatus => ({
  reasons,
  resolvable: true,
});
