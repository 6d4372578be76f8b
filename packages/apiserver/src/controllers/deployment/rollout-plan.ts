// The next size of each replica set of a Deployment. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment (rolling.go, sync.go),
// util/deployment_util.go.
import { byCreation } from "../../component-helpers/meta/by-creation.ts";
import {
  bySizeNewer,
  bySizeOlder,
  countOf,
  maxSurge,
  maxUnavailable,
  isRolling,
  replicasOf,
  totalReplicas,
} from "./deployment-spec.ts";
import type { Deployment, ReplicaSet } from "homeostat/k8s/apps/v1";
import { desiredAnnotation, maxAnnotation, readCount } from "./revisions.ts";

/** A size for a replica set. Annotations are updated even if `replicas` is unchanged. */
export interface Resize {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** The next size of the newest replica set, within the surge; `current` is its size now. */
export function newSetSize(
  deployment: Deployment,
  all: readonly ReplicaSet[],
  current: number,
): number {
  const replicas = replicasOf(deployment);
  if (!isRolling(deployment) || current >= replicas) return replicas;
  const room = replicas + maxSurge(deployment) - totalReplicas(all);
  return room <= 0 ? current : current + Math.min(room, replicas - current);
}

/**
 * Old sets that may be scaled down: first by their unavailable pods, then as far as enough pods
 * stay available.
 */
export function shrinkOldSets(
  deployment: Deployment,
  oldSets: readonly ReplicaSet[],
  newSet: ReplicaSet,
): readonly Resize[] {
  const old = oldSets.filter((set) => replicasOf(set) > 0).toSorted(byCreation);
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(newSet) - (newSet.status.availableReplicas ?? 0);
  const most = totalReplicas([...old, newSet]) - minAvailable - newUnavailable;
  if (old.length === 0 || most <= 0) return [];
  const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
  take(sizes, most, (set) => replicasOf(set) - (set.status.availableReplicas ?? 0));
  take(sizes, countOf([...old, newSet], "availableReplicas") - minAvailable, (_, size) => size);
  return [...sizes]
    .filter(([set, replicas]) => replicas !== replicasOf(set))
    .map(([set, replicas]) => ({ set, replicas }));
}

/** Takes up to `budget` pods from the sets in turn, from each at most `most`. */
function take(
  sizes: Map<ReplicaSet, number>,
  budget: number,
  most: (set: ReplicaSet, size: number) => number,
): void {
  let left = budget;
  for (const [set, size] of sizes) {
    const taken = Math.max(0, Math.min(left, size, most(set, size)));
    sizes.set(set, size - taken);
    left -= taken;
  }
}

/**
 * Sizes after the deployment was scaled, or while it is paused: a single active set takes all,
 * several share in proportion.
 */
export function rescale(
  deployment: Deployment,
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): readonly Resize[] {
  const only = activeOrLatest(newSet, oldSets);
  const replicas = replicasOf(deployment);
  if (only) return replicasOf(only) === replicas ? [] : [{ set: only, replicas }];
  const active = oldSets.filter((set) => replicasOf(set) > 0);
  if (newSet && isSaturated(deployment, newSet)) return active.map((set) => ({ set, replicas: 0 }));
  if (!isRolling(deployment)) return [];
  return shareOut(deployment, newSet && replicasOf(newSet) > 0 ? [...active, newSet] : active);
}

function shareOut(deployment: Deployment, active: readonly ReplicaSet[]): readonly Resize[] {
  const replicas = replicasOf(deployment);
  const add = (replicas > 0 ? replicas + maxSurge(deployment) : 0) - totalReplicas(active);
  const sets = add === 0 ? active : active.toSorted(add > 0 ? bySizeNewer : bySizeOlder);
  let added = 0;
  const sizes = sets.map((set) => {
    const share = add === 0 || add === added ? 0 : within(shareOf(set, deployment), add - added);
    added += share;
    return replicasOf(set) + share;
  });
  if (add !== 0 && sizes.length > 0) sizes[0] = Math.max(0, sizes[0]! + add - added);
  return sets.map((set, i) => ({ set, replicas: sizes[i]! }));
}

const within = (share: number, allowed: number): number =>
  allowed > 0 ? Math.min(share, allowed) : Math.max(share, allowed);

/** The change of a set in proportion to its former share. */
function shareOf(set: ReplicaSet, deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (replicas === 0) return -replicasOf(set);
  const before = readCount(set, maxAnnotation) || (deployment.status.replicas ?? 0);
  if (before === 0) return 0;
  return (
    Math.round((replicasOf(set) * (replicas + maxSurge(deployment))) / before) - replicasOf(set)
  );
}

/** The only set with pods; the latest if none has; undefined if several have. */
function activeOrLatest(
  newSet: ReplicaSet | undefined,
  oldSets: readonly ReplicaSet[],
): ReplicaSet | undefined {
  const old = oldSets.toSorted((a, b) => byCreation(b, a));
  const active = [...old, ...(newSet ? [newSet] : [])].filter((set) => replicasOf(set) > 0);
  if (active.length > 1) return undefined;
  return active[0] ?? newSet ?? old[0];
}

function isSaturated(deployment: Deployment, set: ReplicaSet): boolean {
  const replicas = replicasOf(deployment);
  return (
    replicasOf(set) === replicas &&
    readCount(set, desiredAnnotation) === replicas &&
    (set.status.availableReplicas ?? 0) === replicas
  );
}

/** True when the deployment was scaled since its sets were last sized. */
export function wasScaled(deployment: Deployment, sets: readonly ReplicaSet[]): boolean {
  const replicas = replicasOf(deployment);
  return sets.some(
    (set) => replicasOf(set) > 0 && (readCount(set, desiredAnnotation) ?? replicas) !== replicas,
  );
}
