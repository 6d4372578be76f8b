// Chooses the node of a pod: filters the nodes, then scores those that fit. If no node fits,
// formats kube-scheduler's message. Does not preempt pods. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/{schedule_one.go,framework/types.go} (FitError),
// framework/preemption, framework/plugins/{nodeunschedulable,tainttoleration,nodeaffinity}.
import { isTolerated, matchesNode, matchesTerm } from "../component-helpers/nodes/node-fit.ts";
import type { Node, Pod, Taint } from "homeostat/k8s/core/v1";
import { type Snapshot, type NodeFilter, type FilterStatus, unresolvable } from "./snapshot.ts";
import { podAffinityFilter } from "./pod-affinity.ts";
import { portFilter, resourceFilter } from "./resource-fit.ts";
import { spreadFilter } from "./topology-spread.ts";

/** The name of the chosen node, or the message of a FitError. */
export type ScheduleResult = { readonly node: string } | { readonly message: string };

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/** The filters in upstream's order. The first that fails gives the reason. */
const filters: readonly ((pod: Pod, snapshot: Snapshot) => NodeFilter)[] = [
  unschedulableNodeFilter,
  taintFilter,
  nodeAffinityFilter,
  portFilter,
  resourceFilter,
  spreadFilter,
  podAffinityFilter,
];

/** Schedules a pod. `more` are filters that run before the last two, e.g. for its volumes. */
export function schedulePod(
  pod: Pod,
  snapshot: Snapshot,
  more: readonly NodeFilter[] = [],
): ScheduleResult {
  const { nodes } = snapshot;
  if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
  const all = filters.map((filter) => filter(pod, snapshot));
  all.splice(-2, 0, ...more);
  const named = namedNodes(pod);
  const statuses = nodes.map((node) =>
    named && !named.has(node.metadata.name)
      ? unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]")
      : firstFailure(all, node),
  );
  const best = nodes
    .filter((_, i) => statuses[i] === undefined)
    .toSorted(byScore(pod, snapshot))[0];
  return best
    ? { node: best.metadata.name }
    : { message: fitErrorMessage(pod, statuses as readonly FilterStatus[], snapshot) };
}

/** The message if PreFilter fails, e.g. because a claim of the pod does not exist. */
export const preFilterMessage = (
  pod: Pod,
  reason: string,
  { nodes }: Pick<Snapshot, "nodes">,
): string =>
  `0/${nodes.length} nodes are available: ${reason}. ${postFilterMessage(pod, new Map([[unhelpful, nodes.length]]), nodes.length)}`;

function firstFailure(all: readonly NodeFilter[], node: Node): FilterStatus | undefined {
  for (const filter of all) {
    const status = filter(node);
    if (status) return status;
  }
  return undefined;
}

function unschedulableNodeFilter({ spec }: Pod): NodeFilter {
  const tolerated = isTolerated(unschedulableTaint, spec.tolerations ?? []);
  return (node) =>
    node.spec?.unschedulable && !tolerated ? unresolvable("node(s) were unschedulable") : undefined;
}

function taintFilter({ spec }: Pod): NodeFilter {
  const isUntolerated = ({ effect, ...taint }: Taint): boolean =>
    effect !== "PreferNoSchedule" && !isTolerated({ ...taint, effect }, spec.tolerations ?? []);
  return (node) =>
    (node.spec?.taints ?? []).some(isUntolerated)
      ? unresolvable("node(s) had untolerated taint(s)")
      : undefined;
}

function nodeAffinityFilter({ spec }: Pod): NodeFilter {
  return ({ metadata }) =>
    matchesNode(spec, metadata)
      ? undefined
      : unresolvable("node(s) didn't match Pod's node affinity/selector");
}

/**
 * The nodes that the node affinity of a pod names, as for pods of DaemonSets. Undefined unless
 * every term names nodes.
 */
function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  const names = terms.map(
    ({ matchFields = [] }) =>
      matchFields.find(({ key, operator }) => key === "metadata.name" && operator === "In")?.values,
  );
  return terms.length === 0 || names.includes(undefined)
    ? undefined
    : new Set(names.flatMap((one) => one ?? []));
}

/**
 * Orders nodes by score, best first: fewest untolerated PreferNoSchedule taints, highest weight of
 * preferred node affinity, fewest pods, name.
 */
function byScore({ spec }: Pod, { podsOn }: Snapshot): (a: Node, b: Node) => number {
  const preferred =
    spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const weight = ({ metadata }: Node): number =>
    preferred.reduce(
      (sum, one) => sum + (matchesTerm(one.preference, metadata) ? one.weight : 0),
      0,
    );
  const untolerated = (node: Node): number =>
    (node.spec?.taints ?? []).filter(
      (taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, spec.tolerations ?? []),
    ).length;
  const podCount = ({ metadata }: Node): number => podsOn(metadata.name).length;
  return (a, b) =>
    untolerated(a) - untolerated(b) ||
    weight(b) - weight(a) ||
    podCount(a) - podCount(b) ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
}

const unhelpful = "Preemption is not helpful for scheduling";

function fitErrorMessage(
  pod: Pod,
  statuses: readonly FilterStatus[],
  { nodes, podsOn }: Snapshot,
): string {
  const reasons = new Map<string, number>();
  const preemption = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  statuses.forEach(({ reasons: own, resolvable }, i) => {
    for (const reason of own) count(reasons, reason);
    const hasVictims = podsOn(nodes[i]!.metadata.name).some(
      ({ spec }) => (spec.priority ?? 0) < (pod.spec.priority ?? 0),
    );
    // Preemption is not implemented: a node with victims is reported as one where it does not help.
    count(
      preemption,
      resolvable && !hasVictims ? "No preemption victims found for incoming pod" : unhelpful,
    );
  });
  return `0/${nodes.length} nodes are available: ${listed(reasons)}. ${postFilterMessage(pod, preemption, nodes.length)}`;
}

function postFilterMessage(
  { spec }: Pod,
  counts: ReadonlyMap<string, number>,
  nodes: number,
): string {
  const preemption =
    spec.preemptionPolicy === "Never"
      ? "not eligible due to preemptionPolicy=Never."
      : `0/${nodes} nodes are available: ${listed(counts)}.`;
  return `no new claims to deallocate, preemption: ${preemption}`;
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(", ");
