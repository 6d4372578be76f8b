// What the scheduler knows when it looks for a node: the nodes, the pods on them, and what
// namespaces are called. Pure.
import { type LabelSelector, matchesLabels } from "homeostat/api";
import { toSelector } from "../component-helpers/meta/label-selector.ts";
import type { LabelSelector as LabelSelectorObject } from "homeostat/k8s/meta/v1";
import type { Node, Pod } from "homeostat/k8s/core/v1";

/**
 * Nodes and pods at one moment. A pod that has just been bound is on its node, whether or not the
 * server has told so.
 */
export interface Fleet {
  readonly nodes: readonly Node[];
  /** Pods on a node that are not through. */
  readonly podsOn: (node: string) => readonly Pod[];
  /** What a pod asks for in all, in billionths by resource; whoever looks often remembers it. */
  readonly requestsOf: (pod: Pod) => ReadonlyMap<string, bigint>;
  readonly namespaceLabels: (namespace: string) => Readonly<Record<string, string>>;
}

/** Why a node does not take a pod. */
export interface Refusal {
  readonly reasons: readonly string[];
  /** Whether the node would take the pod if others went away. */
  readonly curable: boolean;
}

/** One question to a node about one pod, whatever had to be counted for it already counted. */
export type NodeFilter = (node: Node) => Refusal | undefined;

export const refuse = (reason: string): Refusal => ({ reasons: [reason], curable: false });
export const refuseForNow = (...reasons: readonly string[]): Refusal => ({
  reasons,
  curable: true,
});

/** A selector, narrowed to the pod's own values of some labels; no selector selects nothing. */
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

/** Whether a pod has the labels. */
export const selects = (selector: LabelSelector | undefined, { metadata }: Pod): boolean =>
  selector !== undefined && matchesLabels(selector, metadata.labels ?? {});
