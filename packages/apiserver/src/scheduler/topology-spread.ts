// Filters nodes by topology spread constraints with whenUnsatisfiable DoNotSchedule. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
import { isTolerated, matchesNode } from "../component-helpers/nodes/node-fit.ts";
import type { Node, Pod, TopologySpreadConstraint } from "homeostat/k8s/core/v1";
import { selectorFor, selects } from "./pod-selector.ts";
import { type Snapshot, type NodeFilter, unresolvable, unschedulable } from "./snapshot.ts";

const mismatch = "node(s) didn't match pod topology spread constraints";

/** The PodTopologySpread filter: refuses nodes where the pod would exceed maxSkew. */
export function spreadFilter(pod: Pod, snapshot: Snapshot): NodeFilter {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === "DoNotSchedule",
  );
  const counted = constraints.map((constraint) => ({
    constraint,
    counts: countPods(pod, constraint, constraints, snapshot),
  }));
  return ({ metadata: { labels = {} } }) => {
    for (const { constraint, counts } of counted) {
      const { topologyKey, maxSkew, minDomains = 1 } = constraint;
      if (!(topologyKey in labels)) return unresolvable(`${mismatch} (missing required label)`);
      const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
      const here =
        (counts.get(labels[topologyKey]!) ?? 0) +
        (selects(selectorOf(pod, constraint), pod) ? 1 : 0);
      if (here - least > maxSkew) return unschedulable(mismatch);
    }
    return undefined;
  };
}

const selectorOf = (
  pod: Pod,
  { labelSelector, matchLabelKeys }: TopologySpreadConstraint,
): ReturnType<typeof selectorFor> => selectorFor(pod, labelSelector, matchLabelKeys);

/** Matching pods by topology domain, over the nodes that the inclusion policies admit. */
function countPods(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  all: readonly TopologySpreadConstraint[],
  { nodes, podsOn }: Snapshot,
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
