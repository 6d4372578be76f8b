// Whether a node suits a pod for the company that it would have there: required affinity and
// anti-affinity between pods, its own and that of the pods which are there already. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/plugins/interpodaffinity/filtering.go.
import { matchesLabels } from "homeostat/api";
import { toSelector } from "../component-helpers/meta/label-selector.ts";
import type { Node, Pod, PodAffinityTerm } from "homeostat/k8s/core/v1";
import {
  type Fleet,
  type NodeFilter,
  refuse,
  refuseForNow,
  selectorFor,
  selects,
} from "./fleet.ts";

/** A place by one of its labels, e.g. `topology.kubernetes.io/zone=a`. */
type Place = string;

/** Asks nodes about the pods near them. */
export function podAffinityFilter(pod: Pod, fleet: Fleet): NodeFilter {
  const near = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const apart = antiAffinity(pod);
  const wanted = placesWhere(fleet, near, (other) =>
    near.every((term) => meets(term, pod, other, fleet)),
  );
  const taken = placesWhere(fleet, apart, (other, term) => meets(term, pod, other, fleet));
  const guarded = guardedPlaces(pod, fleet);
  const isFirst =
    wanted.size === 0 && near.length > 0 && near.every((term) => meets(term, pod, pod, fleet));
  return ({ metadata: { labels = {} } }) => {
    const places = Object.entries(labels).map(([key, value]) => placeOf(key, value));
    const at = ({ topologyKey }: PodAffinityTerm): Place | undefined =>
      topologyKey in labels ? placeOf(topologyKey, labels[topologyKey]!) : undefined;
    if (!near.every((term) => at(term) !== undefined && (isFirst || wanted.has(at(term)!))))
      return refuse("node(s) didn't match pod affinity rules");
    if (apart.some((term) => at(term) !== undefined && taken.has(at(term)!)))
      return refuseForNow("node(s) didn't match pod anti-affinity rules");
    return places.some((place) => guarded.has(place))
      ? refuseForNow("node(s) didn't satisfy existing pods anti-affinity rules")
      : undefined;
  };
}

const placeOf = (key: string, value: string): Place => `${key}=${value}`;

const antiAffinity = ({ spec }: Pod): readonly PodAffinityTerm[] =>
  spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** Where there are pods that a term is about. */
function placesWhere(
  { nodes, podsOn }: Fleet,
  terms: readonly PodAffinityTerm[],
  isMeant: (pod: Pod, term: PodAffinityTerm) => boolean,
): ReadonlySet<Place> {
  const places = new Set<Place>();
  if (terms.length === 0) return places;
  for (const node of nodes) {
    const others = podsOn(node.metadata.name);
    for (const term of terms)
      for (const place of placeAt(node, term))
        if (others.some((other) => isMeant(other, term))) places.add(place);
  }
  return places;
}

const placeAt = (
  { metadata: { labels = {} } }: Node,
  { topologyKey }: PodAffinityTerm,
): readonly Place[] => (topologyKey in labels ? [placeOf(topologyKey, labels[topologyKey]!)] : []);

/** Where pods are that do not want this one near. */
function guardedPlaces(pod: Pod, fleet: Fleet): ReadonlySet<Place> {
  const places = new Set<Place>();
  for (const node of fleet.nodes) {
    for (const other of fleet.podsOn(node.metadata.name)) {
      for (const term of antiAffinity(other))
        if (meets(term, other, pod, fleet))
          placeAt(node, term).forEach((place) => places.add(place));
    }
  }
  return places;
}

/** Whether a term of `owner` means `other`. */
function meets(term: PodAffinityTerm, owner: Pod, other: Pod, { namespaceLabels }: Fleet): boolean {
  const { namespace = "" } = other.metadata;
  const { namespaces = [], namespaceSelector } = term;
  const own =
    namespaces.length === 0 && namespaceSelector === undefined
      ? [owner.metadata.namespace ?? ""]
      : namespaces;
  const isThere =
    own.includes(namespace) ||
    (namespaceSelector !== undefined &&
      matchesLabels(toSelector(namespaceSelector)!, namespaceLabels(namespace)));
  return isThere && selects(selectorFor(owner, term.labelSelector, term.matchLabelKeys), other);
}
