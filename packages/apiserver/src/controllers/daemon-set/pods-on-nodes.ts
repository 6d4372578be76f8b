// One pod for each eligible node: which nodes lack a pod, and which pods are surplus, finished, or
// on the wrong node. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go (manage,
// podsShouldBeOnNode).
import { byCreation } from "../../component-helpers/meta/by-creation.ts";
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { DaemonSet } from "homeostat/k8s/apps/v1";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import {
  availableInMs,
  isPodFinished,
  readyCondition,
} from "../../component-helpers/workloads/pod-state.ts";
import { eligibility, targetNode } from "./daemon-pod.ts";
import { surgeCount } from "./daemon-set-spec.ts";

/** The state of a DaemonSet and its cluster at one moment. */
export interface DaemonState {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  /** By node, including the node that an unscheduled pod targets. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  /** The hash of the current revision. */
  readonly hash: string;
  readonly now: number;
}

/** Nodes to create a pod on, and pods to delete. */
export interface ManagedPodChanges {
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
  /** The deleted pods that have finished. */
  readonly finished: readonly { readonly node: string; readonly pod: Pod }[];
}

/** Pods by node. Finished pods that are being deleted are left out unless `all` are wanted. */
export function podsByNode(
  pods: readonly Pod[],
  which: "all" | "living",
): ReadonlyMap<string, readonly Pod[]> {
  const kept = pods.filter((pod) => which === "all" || !(isPodFinished(pod) && isTerminating(pod)));
  const byNode = Map.groupBy(kept, targetNode);
  return new Map([...byNode].flatMap(([node, on]) => (node === undefined ? [] : [[node, on]])));
}

/**
 * The pods to create and delete independently of a rollout. `isHeldBack` names nodes whose failed
 * pods stay for a while.
 */
export function managePods(
  state: DaemonState,
  isHeldBack: (node: string) => boolean,
): ManagedPodChanges {
  const there = new Set(state.nodes.map(({ metadata }) => metadata.name));
  const lost = [...state.pods].flatMap(([node, pods]) =>
    there.has(node) ? [] : pods.filter(({ spec }) => !spec.nodeName),
  );
  const works = state.nodes.map((node) => manageNode(state, node, isHeldBack));
  return {
    create: works.flatMap(({ create }) => create),
    delete: [...works.flatMap((work) => work.delete), ...lost],
    finished: works.flatMap(({ finished }) => finished),
  };
}

function manageNode(
  state: DaemonState,
  node: Node,
  isHeldBack: (node: string) => boolean,
): ManagedPodChanges {
  const { name } = node.metadata;
  const pods = state.pods.get(name);
  const may = eligibility(state.set, node);
  if (may === "run" && !pods) return { create: [name], delete: [], finished: [] };
  const staying = (pods ?? []).filter((pod) => !isTerminating(pod));
  if (may === "go") return { create: [], delete: staying, finished: [] };
  const finished = staying.filter(
    (pod) =>
      pod.status.phase === "Succeeded" || (pod.status.phase === "Failed" && !isHeldBack(name)),
  );
  const running = staying.filter((pod) => !isPodFinished(pod)).toSorted(byAge);
  const surges = surgeCount(state.set, 1) > 0;
  return {
    create: surges && running.length === 0 && may === "run" ? [name] : [],
    delete: [...finished, ...(surges ? excessInSurge(state, running) : running.slice(1))],
    finished: finished.map((pod) => ({ node: name, pod })),
  };
}

/**
 * During a surge, the oldest updated pod and the oldest outdated pod stay, until the outdated one
 * fails or the updated one is available.
 */
function excessInSurge({ set, hash, now }: DaemonState, running: readonly Pod[]): readonly Pod[] {
  if (running.length <= 1) return [];
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[revisionLabel] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const excess = running.filter((pod) => pod !== newest && pod !== old);
  const isReplaced = newest && old && (!readyCondition(old) || isAvailable(set, newest, now));
  return isReplaced ? [...excess, old] : excess;
}

/** Scheduled pods first, then the older; names decide between pods created in the same second. */
export function byAge(a: Pod, b: Pod): number {
  return Number(!a.spec.nodeName) - Number(!b.spec.nodeName) || byCreation(a, b);
}

export const isAvailable = ({ spec }: DaemonSet, pod: Pod, now: number): boolean =>
  availableInMs(pod, spec.minReadySeconds ?? 0, now) === 0;
