// Filters nodes by required inter-pod affinity and anti-affinity: the pod's own and the
// anti-affinity of existing pods. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
import { matchesLabels } from "homeostat/api";
import { toSelector } from "../component-helpers/meta/label-selector.ts";
import type { Node, Pod, PodAffinityTerm } from "homeostat/k8s/core/v1";
import { selectorFor, selects } from "./pod-selector.ts";
import { type Snapshot, type NodeFilter, unresolvable, unschedulable } from "./snapshot.ts";

/** A topology domain by its label, e.g. `topology.kubernetes.io/zone=a`. */
type TopologyPair = string;

/** The InterPodAffinity filter. */
export function podAffinityFilter(pod: Pod, snapshot: Snapshot): NodeFilter {
  const affinityTerms =
    pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const antiAffinityTerms = antiAffinity(pod);
  const affinityPairs = pairsWhere(snapshot, affinityTerms, (other) =>
    affinityTerms.every((term) => matchesTerm(term, pod, other, snapshot)),
  );
  const antiAffinityPairs = pairsWhere(snapshot, antiAffinityTerms, (other, term) =>
    matchesTerm(term, pod, other, snapshot),
  );
  const existing = existingAntiAffinityPairs(pod, snapshot);
  const isFirst =
    affinityPairs.size === 0 &&
    affinityTerms.length > 0 &&
    affinityTerms.every((term) => matchesTerm(term, pod, pod, snapshot));
  return ({ metadata: { labels = {} } }) => {
    const pairs = Object.entries(labels).map(([key, value]) => pairOf(key, value));
    const at = ({ topologyKey }: PodAffinityTerm): TopologyPair | undefined =>
      topologyKey in labels ? pairOf(topologyKey, labels[topologyKey]!) : undefined;
    if (
      !affinityTerms.every(
        (term) => at(term) !== undefined && (isFirst || affinityPairs.has(at(term)!)),
      )
    )
      return unresolvable("node(s) didn't match pod affinity rules");
    if (
      antiAffinityTerms.some((term) => at(term) !== undefined && antiAffinityPairs.has(at(term)!))
    )
      return unschedulable("node(s) didn't match pod anti-affinity rules");
    return pairs.some((pair) => existing.has(pair))
      ? unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")
      : undefined;
  };
}

const pairOf = (key: string, value: string): TopologyPair => `${key}=${value}`;

const antiAffinity = ({ spec }: Pod): readonly PodAffinityTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** The domains with a pod that a term matches. */
function pairsWhere(
  { nodes, podsOn }: Snapshot,
  terms: readonly PodAffinityTerm[],
  matches: (pod: Pod, term: PodAffinityTerm) => boolean,
): ReadonlySet<TopologyPair> {
  const pairs = new Set<TopologyPair>();
  if (terms.length === 0) return pairs;
  for (const node of nodes) {
    const others = podsOn(node.metadata.name);
    for (const term of terms)
      for (const pair of pairAt(node, term))
        if (others.some((other) => matches(other, term))) pairs.add(pair);
  }
  return pairs;
}

const pairAt = (
  { metadata: { labels = {} } }: Node,
  { topologyKey }: PodAffinityTerm,
): readonly TopologyPair[] =>
  topologyKey in labels ? [pairOf(topologyKey, labels[topologyKey]!)] : [];

/** The domains of existing pods whose anti-affinity matches this pod. */
function existingAntiAffinityPairs(pod: Pod, snapshot: Snapshot): ReadonlySet<TopologyPair> {
  const pairs = new Set<TopologyPair>();
  for (const node of snapshot.nodes) {
    for (const other of snapshot.podsOn(node.metadata.name)) {
      for (const term of antiAffinity(other))
        if (matchesTerm(term, other, pod, snapshot))
          pairAt(node, term).forEach((pair) => pairs.add(pair));
    }
  }
  return pairs;
}

/** Whether a term of `owner` matches `other`. */
function matchesTerm(
  term: PodAffinityTerm,
  owner: Pod,
  other: Pod,
  { namespaceLabels }: Snapshot,
): boolean {
  const { namespace = "" } = other.metadata;
  const { namespaces = [], namespaceSelector } = term;
  const own =
    namespaces.length === 0 && namespaceSelector === undefined
      ? [owner.metadata.namespace ?? ""]
      : namespaces;
  const isInNamespace =
    own.includes(namespace) ||
    (namespaceSelector !== undefined &&
      matchesLabels(toSelector(namespaceSelector)!, namespaceLabels(namespace)));
  return (
    isInNamespace && selects(selectorFor(owner, term.labelSelector, term.matchLabelKeys), other)
  );
}
