// What is to be done about the pods of a stateful set, one after the other or all at once: pods
// that are missing, that are too many, that are of another revision. Pure; whoever carries it out
// stops where a step says so, if the set keeps order.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go
// (updateStatefulSet, processReplica, processCondemned). MaxUnavailableStatefulSet is off by
// default, and here.
import {
  availableInMs,
  isPodFinished,
  readyCondition,
} from "../../component-helpers/workloads/pod-state.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { StatefulSet } from "homeostat/k8s/apps/v1";
import {
  isInRange,
  isOrdered,
  ordinalOf,
  revisionOfPod,
  startOrdinal,
} from "./stateful-set-objects.ts";

/**
 * A place in the set: a number, the pod that has it, and the revision that it has or is to be made
 * from.
 */
export interface Place {
  readonly ordinal: number;
  readonly revision: string;
  readonly pod?: Pod;
}

/** Who is where. */
export interface Places {
  /** In order, with no number left out. */
  readonly places: readonly Place[];
  /** Pods out of range, the highest number first. */
  readonly condemned: readonly Pod[];
  /** The one that may be deleted though those before it are not well. */
  readonly firstUnavailable: Pod | undefined;
}

/**
 * claims: those that are missing are made; repair: labels, volumes and owners of claims are put
 * right.
 */
export type Deed = "create" | "delete" | "claims" | "repair";

/** What to do about one pod, and whether those after it have to wait, in a set that keeps order. */
export interface Step {
  readonly deeds: readonly Deed[];
  readonly waits: boolean;
}

/** The revisions between which a set is. */
export interface SetRevisions {
  readonly current: string;
  readonly update: string;
}

/** Puts the pods in their places. */
export function placePods(
  set: StatefulSet,
  pods: readonly Pod[],
  { revisions, now }: { readonly revisions: SetRevisions; readonly now: number },
): Places {
  const start = startOrdinal(set);
  const places = Array.from({ length: set.spec.replicas ?? 0 }, (_, i): Place => {
    const ordinal = start + i;
    const pod = pods.findLast((one) => ordinalOf(one).ordinal === ordinal);
    return pod
      ? { ordinal, revision: revisionOfPod(pod), pod }
      : { ordinal, revision: revisionFor(set, ordinal, revisions) };
  });
  const outside = (pod: Pod): boolean =>
    ordinalOf(pod).ordinal >= 0 && !isInRange(set, ordinalOf(pod).ordinal);
  const condemned = pods
    .filter(outside)
    .toSorted((a, b) => ordinalOf(b).ordinal - ordinalOf(a).ordinal);
  const isBad = (pod: Pod | undefined): boolean => isUnavailable(set, pod, now);
  const bad = places.find(({ pod }) => isBad(pod));
  return { places, condemned, firstUnavailable: bad ? bad.pod : condemned.findLast(isBad) };
}

/** Below the partition a missing pod comes back as it was. */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: SetRevisions): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept = rollingUpdate
    ? (rollingUpdate.partition ?? 0)
    : type === "RollingUpdate"
      ? (set.status.currentReplicas ?? 0)
      : 0;
  return ordinal < startOrdinal(set) + kept ? current : update;
}

/** What to do about a place. */
export function placeStep(set: StatefulSet, pod: Pod | undefined, now: number): Step {
  if (!pod) return { deeds: ["create"], waits: true };
  if (isPodFinished(pod)) return { deeds: isGoing(pod) ? [] : ["delete"], waits: true };
  const deeds: readonly Deed[] = pod.status.phase === "Pending" ? ["claims"] : [];
  if (isOrdered(set) && (isGoing(pod) || !isRunningReady(pod) || !isAvailable(set, pod, now)))
    return { deeds, waits: true };
  return { deeds: [...deeds, "repair"], waits: false };
}

/**
 * What to do about a pod that is out of range. In order, one goes at a time, and only when those
 * before it are well.
 */
export function condemnedStep(
  set: StatefulSet,
  pod: Pod,
  { firstUnavailable, now }: { readonly firstUnavailable: Pod | undefined; readonly now: number },
): Step {
  if (isGoing(pod)) return { deeds: [], waits: true };
  const held =
    isOrdered(set) &&
    pod !== firstUnavailable &&
    (!isRunningReady(pod) || !isAvailable(set, pod, now));
  return { deeds: held ? [] : ["delete"], waits: true };
}

/**
 * The pod that makes way for the newer revision: the one with the highest number, once all that are
 * newer than it are available.
 */
export function podToReplace(
  set: StatefulSet,
  places: readonly Place[],
  { revision, now }: { readonly revision: string; readonly now: number },
): Pod | undefined {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete") return undefined;
  for (const place of places.slice(rollingUpdate?.partition ?? 0).toReversed()) {
    if (place.pod && place.revision !== revision && !isGoing(place.pod)) return place.pod;
    if (isUnavailable(set, place.pod, now)) return undefined;
  }
  return undefined;
}

export const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
export const isRunningReady = (pod: Pod): boolean =>
  pod.status.phase === "Running" && readyCondition(pod) !== undefined;
export const isAvailable = ({ spec }: StatefulSet, pod: Pod, now: number): boolean =>
  availableInMs(pod, spec.minReadySeconds ?? 0, now) === 0;
const isUnavailable = (set: StatefulSet, pod: Pod | undefined, now: number): boolean =>
  !pod || isGoing(pod) || !isAvailable(set, pod, now);
