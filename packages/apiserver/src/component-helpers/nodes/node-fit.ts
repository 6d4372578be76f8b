// Whether a pod may run on a node, by node selector, required node affinity, taints and
// tolerations. Pure.
// Upstream: k8s.io/component-helpers/scheduling/corev1 (helpers.go, nodeaffinity).
import { matchesLabels } from "homeostat/api";
import { toSelector } from "../meta/label-selector.ts";
import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from "homeostat/k8s/core/v1";

/** An informer index of pods by node; "" for unscheduled pods. */
export const nodeIndex = ({ spec }: Pod): readonly string[] => [spec.nodeName ?? ""];

/** True when the condition Ready is True. */
export const isNodeReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ??
  false;

/**
 * True when a node has all labels of the node selector and matches one of the required terms, if
 * there are any. A term without requirements matches no node.
 */
export function matchesNode(
  { nodeSelector, affinity }: Pod["spec"],
  { name, labels = {} }: Pick<Node["metadata"], "name" | "labels">,
): boolean {
  if (Object.entries(nodeSelector ?? {}).some(([key, value]) => labels[key] !== value))
    return false;
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms) return true;
  return terms.some((term) => matchesTerm(term, { name, labels }));
}

/** True when a node matches one term. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  { name, labels = {} }: Pick<Node["metadata"], "name" | "labels">,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchesLabels(toSelector({ matchExpressions })!, labels) &&
    matchesLabels(toSelector({ matchExpressions: matchFields })!, { "metadata.name": name })
  );
}

/**
 * True when one toleration matches the taint: its effect or any, its key or any, and its value or,
 * with Exists, any.
 */
export function isTolerated(taint: Taint, tolerations: readonly Toleration[]): boolean {
  return tolerations.some(({ key = "", operator = "", value = "", effect = "" }) => {
    if ((effect !== "" && effect !== taint.effect) || (key !== "" && key !== taint.key))
      return false;
    return (
      operator === "Exists" ||
      ((operator === "" || operator === "Equal") && value === (taint.value ?? ""))
    );
  });
}
