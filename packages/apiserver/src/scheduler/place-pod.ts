// Which node a pod goes to: of those that take it, one that it prefers, and among those the
// emptiest; or why none takes it, in kube-scheduler's words. Pods are not driven away for others.
// Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/{schedule_one.go,framework/types.go} (FitError),
// framework/preemption, framework/plugins/{nodeunschedulable,tainttoleration,nodeaffinity}.
import { isTolerated, matchesNode, matchesTerm } from "../component-helpers/nodes/node-fit.ts";
import type { Node, Pod, Taint } from "homeostat/k8s/core/v1";
import { type Fleet, type NodeFilter, type Refusal, refuse } from "./fleet.ts";
import { podAffinityFilter } from "./pod-affinity.ts";
import { portFilter, resourceFilter } from "./resource-fit.ts";
import { spreadFilter } from "./topology-spread.ts";

/** A node by name, or why there is none. */
export type Placement = { readonly node: string } | { readonly message: string };

const unschedulableTaint: Taint = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };

/**
 * Every question to a node, in upstream's order: the first that is answered with no is the one that
 * is told of.
 */
const filters: readonly ((pod: Pod, fleet: Fleet) => NodeFilter)[] = [
  cordonFilter,
  taintFilter,
  affinityFilter,
  portFilter,
  resourceFilter,
  spreadFilter,
  podAffinityFilter,
];

/** Places a pod. `more` are further questions, asked last but one, e.g. about its volumes. */
export function placePod(pod: Pod, fleet: Fleet, more: readonly NodeFilter[] = []): Placement {
  const { nodes } = fleet;
  if (nodes.length === 0) return { message: "no nodes available to schedule pods" };
  const questions = filters.map((filter) => filter(pod, fleet));
  questions.splice(-2, 0, ...more);
  const named = namedNodes(pod);
  const refusals = nodes.map((node) =>
    named && !named.has(node.metadata.name)
      ? refuse("node(s) didn't satisfy plugin(s) [NodeAffinity]")
      : firstRefusal(questions, node),
  );
  const best = nodes
    .filter((_, i) => refusals[i] === undefined)
    .toSorted(byPreference(pod, fleet))[0];
  return best
    ? { node: best.metadata.name }
    : { message: unfitMessage(pod, refusals as readonly Refusal[], fleet) };
}

/** Says that no node was even asked, e.g. because a claim of the pod is not there. */
export const unaskedMessage = (pod: Pod, reason: string, { nodes }: Pick<Fleet, "nodes">): string =>
  `0/${nodes.length} nodes are available: ${reason}. ${afterwards(pod, new Map([[unhelpful, nodes.length]]), nodes.length)}`;

function firstRefusal(questions: readonly NodeFilter[], node: Node): Refusal | undefined {
  for (const question of questions) {
    const refusal = question(node);
    if (refusal) return refusal;
  }
  return undefined;
}

function cordonFilter({ spec }: Pod): NodeFilter {
  const tolerated = isTolerated(unschedulableTaint, spec.tolerations ?? []);
  return (node) =>
    node.spec?.unschedulable && !tolerated ? refuse("node(s) were unschedulable") : undefined;
}

function taintFilter({ spec }: Pod): NodeFilter {
  const unbearable = ({ effect, ...taint }: Taint): boolean =>
    effect !== "PreferNoSchedule" && !isTolerated({ ...taint, effect }, spec.tolerations ?? []);
  return (node) =>
    (node.spec?.taints ?? []).some(unbearable)
      ? refuse("node(s) had untolerated taint(s)")
      : undefined;
}

function affinityFilter({ spec }: Pod): NodeFilter {
  return ({ metadata }) =>
    matchesNode(spec, metadata)
      ? undefined
      : refuse("node(s) didn't match Pod's node affinity/selector");
}

/**
 * The nodes that a pod names, as those of DaemonSets do, where every term of its affinity names
 * some.
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
 * Fewest taints that the pod would rather not have, then what it prefers, then the emptiest, then
 * by name.
 */
function byPreference({ spec }: Pod, { podsOn }: Fleet): (a: Node, b: Node) => number {
  const preferred =
    spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const weight = ({ metadata }: Node): number =>
    preferred.reduce(
      (sum, one) => sum + (matchesTerm(one.preference, metadata) ? one.weight : 0),
      0,
    );
  const disliked = (node: Node): number =>
    (node.spec?.taints ?? []).filter(
      (taint) => taint.effect === "PreferNoSchedule" && !isTolerated(taint, spec.tolerations ?? []),
    ).length;
  const load = ({ metadata }: Node): number => podsOn(metadata.name).length;
  return (a, b) =>
    disliked(a) - disliked(b) ||
    weight(b) - weight(a) ||
    load(a) - load(b) ||
    (a.metadata.name < b.metadata.name ? -1 : 1);
}

const unhelpful = "Preemption is not helpful for scheduling";

function unfitMessage(pod: Pod, refusals: readonly Refusal[], { nodes, podsOn }: Fleet): string {
  const reasons = new Map<string, number>();
  const cures = new Map<string, number>();
  const count = (counts: Map<string, number>, key: string): unknown =>
    counts.set(key, (counts.get(key) ?? 0) + 1);
  refusals.forEach(({ reasons: own, curable }, i) => {
    for (const reason of own) count(reasons, reason);
    const hasVictims = podsOn(nodes[i]!.metadata.name).some(
      ({ spec }) => (spec.priority ?? 0) < (pod.spec.priority ?? 0),
    );
    // Driving pods away is not simulated, so that a node where it might help is told of as one
    // where it does not.
    count(
      cures,
      curable && !hasVictims ? "No preemption victims found for incoming pod" : unhelpful,
    );
  });
  return `0/${nodes.length} nodes are available: ${listed(reasons)}. ${afterwards(pod, cures, nodes.length)}`;
}

function afterwards({ spec }: Pod, cures: ReadonlyMap<string, number>, nodes: number): string {
  const preemption =
    spec.preemptionPolicy === "Never"
      ? "not eligible due to preemptionPolicy=Never."
      : `0/${nodes} nodes are available: ${listed(cures)}.`;
  return `no new claims to deallocate, preemption: ${preemption}`;
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(", ");
