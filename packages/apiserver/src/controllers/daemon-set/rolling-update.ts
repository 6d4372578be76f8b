// The rolling update of a DaemonSet: deletes outdated pods, a limited number at a time, or creates
// updated pods beside them first. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/update.go (rollingUpdate).
import { isTerminating } from "../../component-helpers/meta/api-object.ts";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import { eligibility } from "./daemon-pod.ts";
import { isUpdated, surgeCount, unavailableCount } from "./daemon-set-spec.ts";
import { type DaemonState, isAvailable } from "./pods-on-nodes.ts";

/** Nodes to create a pod on, and pods to delete. */
export interface PodChanges {
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

/**
 * The pods of a node: an updated one, an outdated one, both or none. More than that is not the
 * rollout's concern.
 */
type OnNode =
  | { readonly node: string; readonly newer?: Pod | undefined; readonly older?: Pod | undefined }
  | "excess";

/** The next step of the rollout. */
export function rollingUpdate(state: DaemonState): PodChanges {
  const { set, nodes, pods } = state;
  const wanted = nodes
    .filter((node) => eligibility(set, node) === "run")
    .map(({ metadata }) => metadata.name);
  const surge = surgeCount(set, wanted.length);
  const unavailable = unavailableCount(set, wanted.length);
  const onNodes = [...new Set([...pods.keys(), ...wanted])].map((node) => onNode(state, node));
  return surge === 0
    ? replace(state, onNodes, unavailable === 0 && wanted.length > 0 ? 1 : unavailable)
    : surgeOver(state, onNodes, { surge, desired: wanted.length });
}

function onNode({ set, pods, hash }: DaemonState, node: string): OnNode {
  const staying = (pods.get(node) ?? []).filter((pod) => !isTerminating(pod));
  const [newer, ...moreNew] = staying.filter((pod) => isUpdated(set, pod, hash));
  const [older, ...moreOld] = staying.filter((pod) => !isUpdated(set, pod, hash));
  return moreNew.length + moreOld.length > 0 ? "excess" : { node, newer, older };
}

/**
 * Deletes unavailable outdated pods at once, and others as long as enough nodes have an available
 * pod.
 */
function replace(
  { set, now }: DaemonState,
  onNodes: readonly OnNode[],
  maxUnavailable: number,
): PodChanges {
  const old = onNodes.flatMap((on) => (on !== "excess" && on.older && !on.newer ? on.older : []));
  const up = onNodes.filter(
    (on) => on !== "excess" && on.newer && !on.older && isAvailable(set, on.newer, now),
  ).length;
  const broken = old.filter((pod) => !isAvailable(set, pod, now));
  const candidates = old.filter((pod) => isAvailable(set, pod, now));
  const unavailable = onNodes.length - up - candidates.length;
  return {
    create: [],
    delete: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))],
  };
}

/**
 * Creates updated pods beside outdated ones, a limited number at a time, and without limit beside
 * unavailable ones. Deletes outdated pods once the updated one is available.
 */
function surgeOver(
  state: DaemonState,
  onNodes: readonly OnNode[],
  { surge, desired }: { readonly surge: number; readonly desired: number },
): PodChanges {
  const { set, now } = state;
  const counts = { surging: onNodes.filter((on) => on === "excess").length, available: 0 };
  const [going, unwanted]: readonly [Pod[], Pod[]] = [[], []];
  const [allowed, candidates]: readonly [string[], string[]] = [[], []];
  for (const on of onNodes) {
    if (on === "excess") continue;
    const { node, newer, older } = on;
    const shown = older ?? newer;
    if (shown && isAvailable(set, shown, now)) counts.available += 1;
    if (!older) continue;
    if (newer && isAvailable(set, newer, now)) going.push(older);
    else if (newer) counts.surging += 1;
    else if (eligibility(set, nodeOf(state, node)) !== "run")
      (isAvailable(set, older, now) ? unwanted : going).push(older);
    else (isAvailable(set, older, now) ? candidates : allowed).push(node);
  }
  return {
    create: [...allowed, ...candidates.slice(0, Math.max(0, surge - counts.surging))],
    delete: [...going, ...unwanted.slice(0, Math.max(0, counts.available - desired))],
  };
}

function nodeOf({ set, nodes }: DaemonState, name: string): Node {
  const node = nodes.find(({ metadata }) => metadata.name === name);
  if (!node)
    throw new Error(
      `roll out daemon set ${set.metadata.name}: node ${JSON.stringify(name)}, which has one of its pods, is unknown; retried with the next sync`,
    );
  return node;
}
