// The next steps for the pods of a StatefulSet: create missing pods, delete surplus pods, replace
// outdated pods. Pure. The caller stops where a step waits, if the set is ordered.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go
// (updateStatefulSet, processReplica, processCondemned). MaxUnavailableStatefulSet is off by
// default, and here.
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import {
  availableInMs,
  isPodFinished,
  readyCondition,
} from "../../component-helpers/workloads/pod-state.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import type { StatefulSet } from "homeostat/k8s/apps/v1";
import { isInRange, isOrdered, ordinalOf, revisionOfPod, startOrdinal } from "./ordinals.ts";

/** An ordinal, its pod, and the revision that the pod has or is to be created from. */
export interface Replica {
  readonly ordinal: number;
  readonly revision: string;
  readonly pod?: Pod;
}

/** The pods of a set by ordinal. */
export interface OrdinalPods {
  /** In order, without gaps. */
  readonly replicas: readonly Replica[];
  /** Pods outside the range, the highest ordinal first. */
  readonly condemned: readonly Pod[];
  /** The pod that may be deleted although pods before it are unavailable. */
  readonly firstUnavailable: Pod | undefined;
}

/**
 * claims: missing claims are created; repair: labels, volumes and owners of claims are corrected.
 */
export type PodAction = "create" | "delete" | "claims" | "repair";

/** The actions for one pod, and whether an ordered set waits after it. */
export interface Step {
  readonly actions: readonly PodAction[];
  readonly waits: boolean;
}

/** The current and the update revision. */
export interface SetRevisions {
  readonly current: string;
  readonly update: string;
}

/** Assigns the pods to ordinals. */
export function assignOrdinals(
  set: StatefulSet,
  pods: readonly Pod[],
  { revisions, now }: { readonly revisions: SetRevisions; readonly now: number },
): OrdinalPods {
  const start = startOrdinal(set);
  const replicas = Array.from({ length: set.spec.replicas ?? 0 }, (_, i): Replica => {
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
  const bad = replicas.find(({ pod }) => isBad(pod));
  return { replicas, condemned, firstUnavailable: bad ? bad.pod : condemned.findLast(isBad) };
}

/** The revision for a missing pod: the current one below the partition. */
function revisionFor(set: StatefulSet, ordinal: number, { current, update }: SetRevisions): string {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const { currentReplicas = 0 } = set.status;
  const withoutPartition = type === "RollingUpdate" ? currentReplicas : 0;
  const kept = rollingUpdate ? (rollingUpdate.partition ?? 0) : withoutPartition;
  return ordinal < startOrdinal(set) + kept ? current : update;
}

/** The step for an ordinal. */
export function replicaStep(set: StatefulSet, pod: Pod | undefined, now: number): Step {
  if (!pod) return { actions: ["create"], waits: true };
  if (isPodFinished(pod)) return { actions: isTerminating(pod) ? [] : ["delete"], waits: true };
  const actions: readonly PodAction[] = pod.status.phase === "Pending" ? ["claims"] : [];
  if (isOrdered(set) && (isTerminating(pod) || !isRunningReady(pod) || !isAvailable(set, pod, now)))
    return { actions, waits: true };
  return { actions: [...actions, "repair"], waits: false };
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
  if (isTerminating(pod)) return { actions: [], waits: true };
  const held =
    isOrdered(set) &&
    pod !== firstUnavailable &&
    (!isRunningReady(pod) || !isAvailable(set, pod, now));
  return { actions: held ? [] : ["delete"], waits: true };
}

/**
 * The pod to replace with the update revision: the outdated pod with the highest ordinal, once all
 * updated pods are available.
 */
export function podToReplace(
  set: StatefulSet,
  replicas: readonly Replica[],
  { revision, now }: { readonly revision: string; readonly now: number },
): Pod | undefined {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === "OnDelete") return undefined;
  for (const replica of replicas.slice(rollingUpdate?.partition ?? 0).toReversed()) {
    if (replica.pod && replica.revision !== revision && !isTerminating(replica.pod))
      return replica.pod;
    if (isUnavailable(set, replica.pod, now)) return undefined;
  }
  return undefined;
}

export const isRunningReady = (pod: Pod): boolean =>
  pod.status.phase === "Running" && readyCondition(pod) !== undefined;
export const isAvailable = ({ spec }: StatefulSet, pod: Pod, now: number): boolean =>
  availableInMs(pod, spec.minReadySeconds ?? 0, now) === 0;
const isUnavailable = (set: StatefulSet, pod: Pod | undefined, now: number): boolean =>
  !pod || isTerminating(pod) || !isAvailable(set, pod, now);
