// Which node a pod goes to: the emptiest of those that it may go to. Looks at node selectors, required node affinity,
// taints and cordons; not at resources, preferences or topology, which a simulation has no use for. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework (types.go, plugins/{nodeaffinity,nodeunschedulable,tainttoleration}).
import { isTolerated, matchesNode } from "../node-fit.ts";
import type { Node, Pod, Taint } from "../workload-objects.ts";

/** A node by name, or why there is none. */
export type Placement = { readonly node: string } | { readonly message: string };

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** Places a pod; `load` counts pods on nodes by name. */
export function placePod(pod: Pod, nodes: readonly Node[], load: (node: string) => number): Placement {
  if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
  const reasons = nodes.map((node) => refusal(pod, node));
  const fit = nodes.filter((_, i) => reasons[i] === undefined).map(({ metadata }) => metadata.name);
  const [best] = fit.toSorted((a, b) => load(a) - load(b) || (a < b ? -1 : 1));
  if (best !== undefined) return { node: best };
  const counts = [...new Set(reasons)].map((reason) => `${reasons.filter((one) => one === reason).length} ${reason}`).toSorted();
  return { message: `0/${nodes.length} nodes are available: ${counts.join(", ")}.` };
}

function refusal({ spec }: Pod, { metadata, spec: nodeSpec }: Node): string | undefined {
  const tolerations = spec.tolerations ?? [];
  if (nodeSpec?.unschedulable && !isTolerated(unschedulableTaint, tolerations)) return "node(s) were unschedulable";
  const taints = (nodeSpec?.taints ?? []).filter(({ effect }) => effect === "NoSchedule" || effect === "NoExecute");
  if (taints.some((taint) => !isTolerated(taint, tolerations))) return "node(s) had untolerated taint(s)";
  return matchesNode(spec, metadata) ? undefined : "node(s) didn't match Pod's node affinity/selector";
}
