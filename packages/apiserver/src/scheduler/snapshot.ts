// The scheduler's view of the cluster at one moment, and the result of a filter. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/backend/cache/snapshot.go,
// k8s.io/kube-scheduler/framework/interface.go (Status, Code).
import { type LabelSelector, matchesLabels } from "homeostat/api";
import { toSelector } from "../component-helpers/meta/label-selector.ts";
import type { LabelSelector as LabelSelectorObject } from "homeostat/k8s/meta/v1";
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

/**
 * A selector with the pod's own values of the labels `keys` added. An undefined selector selects
 * nothing.
 */
export function selectorFor(
  pod: Pod,
  selector: LabelSelectorObject | undefined,
  keys: readonly string[] = [],
): LabelSelector | undefined {
  const labels = pod.metadata.labels ?? {};
  const own = keys
    .filter((key) => key in labels)
    .map((key) => ({ key, operator: "in" as const, values: [labels[key]!] }));
  const requirements = toSelector(selector);
  return requirements && [...requirements, ...own];
}

/** Whether the selector matches the labels of a pod. */
export const selects = (selector: LabelSelector | undefined, { metadata }: Pod): boolean =>
  selector !== undefined && matchesLabels(selector, metadata.labels ?? {});
