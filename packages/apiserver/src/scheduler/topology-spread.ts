// Whether a pod on a node would leave pods too unevenly spread: constraints that forbid it
// (DoNotSchedule). Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
import { isTolerated, matchesNode } from "../component-helpers/nodes/node-fit.ts";
import type { Node, Pod, TopologySpreadConstraint } from "homeostat/k8s/core/v1";
import {
  type Fleet,
  type NodeFilter,
  refuse,
  refuseForNow,
  selectorFor,
  selects,
} from "./fleet.ts";

const uneven = "node(s) didn't match pod topology spread constraints";

/** Asks nodes whether the pods of a constraint would still be even enough. */
export function spreadFilter(pod: Pod, fleet: Fleet): NodeFilter {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const counted = constraints.map((constraint) => ({
    constraint,
    counts: countPods(pod, constraint, constraints, fleet),
  }));
  return ({ metadata: { labels = {} } }) => {
    for (const { constraint, counts } of counted) {
      const { topologyKey, maxSkew, minDomains = 1 } = constraint;
      if (!(topologyKey in labels)) return refuse(`${uneven} (missing required label)`);
      const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
      const here =
        (counts.get(labels[topologyKey]!) ?? 0) +
        (selects(selectorOf(pod, constraint), pod) ? 1 : 0);
      if (here - least > maxSkew) return refuseForNow(uneven);
    }
    return undefined;
  };
}

const selectorOf = (
  pod: Pod,
  { labelSelector, matchLabelKeys }: TopologySpreadConstraint,
): ReturnType<typeof selectorFor> => selectorFor(pod, labelSelector, matchLabelKeys);

/** Pods of a constraint by the value of its label, on the nodes that count. */
function countPods(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
  { nodes, podsOn }: Fleet,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const selector = selectorOf(pod, constraint);
  for (const node of nodes) {
    const { name, labels = {} } = node.metadata;
    if (!all.every(({ topologyKey }) => topologyKey in labels) || !isCounted(pod, constraint, node))
      continue;
    const alike = podsOn(name).filter(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        other.metadata.deletionTimestamp === undefined &&
        selects(selector, other),
    );
    const value = labels[constraint.topologyKey]!;
    counts.set(value, (counts.get(value) ?? 0) + alike.length);
  }
  return counts;
}

function isCounted(
  { spec }: Pod,
  { nodeAffinityPolicy = "Honor", nodeTaintsPolicy = "Ignore" }: TopologySpreadConstraint,
  { metadata, spec: nodeSpec }: Node,
): boolean {
  if (nodeAffinityPolicy === "Honor" && !matchesNode(spec, metadata)) return false;
  const taints = (nodeSpec?.taints ?? []).filter(({ effect }) => effect !== "PreferNoSchedule");
  return (
    nodeTaintsPolicy !== "Honor" ||
    taints.every((taint) => isTolerated(taint, spec.tolerations ?? []))
  );
}
