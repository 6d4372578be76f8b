// The next steps for the pods of a StatefulSet: create missing pods, delete surplus pods, replace
// outdated pods. Pure. The caller stops where a step waits, if the set is ordered.
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

/** An ordinal, its pod, and the revision that the pod has or is to be created from. */
export interface Place {
  readonly ordinal: number;
  readonly revision: string;
  readonly pod?: Pod;
}

/** The pods of a set by ordinal. */
export interface Places {
  /** In order, without gaps. */
  readonly places: readonly Place[];
  /** Pods outside the range, the highest ordinal first. */
  readonly condemned: readonly Pod[];
  /** The pod that may be deleted although pods before it are unavailable. */
  readonly firstUnavailable: Pod | undefined;
}

/**
 * claims: missing claims are created; repair: labels, volumes and owners of claims are corrected.
 */
export type Deed = "create" | "delete" | "claims" | "repair";

/** The actions for one pod, and whether an ordered set waits after it. */
export interface Step {
  readonly deeds: readonly Deed[];
  readonly waits: boolean;
}

/** The current and the update revision. */
export interface SetRevisions {
  readonly current: string;
  readonly update: string;
}

/** Assigns the pods to ordinals. */
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

/** The revision for a missing pod: the current one below the partition. */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: SetRevisions): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const kept = rollingUpdate
    ? (rollingUpdate.partition ?? 0)
    : type === "RollingUpdate"
      ? (set.status.currentReplicas ?? 0)
      : 0;
  return ordinal < startOrdinal(set) + kept ? current : update;
}

/** The step for an ordinal. */
export function placeStep(set: StatefulSet, pod: Pod | undefined, now: number): Step {
  if (!pod) return { deeds: ["create"], waits: true };
  if (isPodFinished(pod)) return { deeds: isGoing(pod) ? [] : ["delete"], waits: true };
  const deeds: readonly Deed[] = pod.status.phase === "Pending" ? ["claims"] : [];
  if (isOrdered(set) && (isGoing(pod) || !isRunningReady(pod) || !isAvailable(set, pod, now)))
    return { deeds, waits: true };
  return { deeds: [...deeds, "repair"], waits: false };
}

/**
 * The step for a pod outside the range. An ordered set deletes one at a time, and only while the
 * pods before it are available.
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
 * The pod to replace with the update revision: the outdated pod with the highest ordinal, once all
 * updated pods are available.
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
