// Whether a pod may be on a node: by node selector and required node affinity, and by the taints
// that it tolerates. Pure.
// Upstream: k8s.io/component-helpers/scheduling/corev1 (helpers.go, nodeaffinity).
import { matchesLabels } from "homeostat/api";
import { toSelector } from "../meta/label-selector.ts";
import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from "homeostat/k8s/core/v1";

/** An index of pods by the node that they are on; "" for those that are on none. */
export const nodeIndex = ({ spec }: Pod): readonly string[] => [spec.nodeName ?? ""];

/** True when the node says that it is ready. */
export const isNodeReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: state }) => type === "Ready" && state === "True") ??
  false;

/**
 * True when a node has all labels of the selector and fits one of the terms, where there are any; a
 * term that asks for nothing fits none.
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

/** True when a node fits one term. */
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
 * True when one toleration covers the taint: its effect or any, its key or any, and its value or,
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
