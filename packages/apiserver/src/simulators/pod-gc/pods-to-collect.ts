// Which pods nobody else will ever remove: too many that have ended, those that go on nodes out of service, those of nodes that
// are gone, those that go and were never placed. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { isPodFinished } from "../pod-state.ts";
import type { Node, Pod } from "../workload-objects.ts";

/** What the collector looks at. */
export interface PodSurroundings {
  readonly nodes: ReadonlyMap<string, Node>;
  /** Names of nodes that are gone for certain. */
  readonly goneNodes: ReadonlySet<string>;
  /** As many pods that have ended are left; 0 leaves all. */
  readonly endedLimit: number;
}

/** A pod to remove; `orphaned` when its node is gone. */
export interface CollectedPod {
  readonly pod: Pod;
  readonly orphaned: boolean;
}

const outOfService = "node.kubernetes.io/out-of-service";

/** In the order in which they are removed; each once. */
export function podsToCollect(pods: readonly Pod[], { nodes, goneNodes, endedLimit }: PodSurroundings): readonly CollectedPod[] {
  const ended = pods.filter(isPodFinished);
  const tooMany = endedLimit > 0 ? ended.toSorted(byAge).slice(0, Math.max(0, ended.length - endedLimit)) : [];
  const going = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  const stuck = going.filter(({ spec }) => isOutOfService(nodes.get(spec.nodeName ?? ""))).toSorted(byAge);
  const orphaned = pods.filter(({ spec }) => goneNodes.has(spec.nodeName ?? ""));
  const unplaced = going.filter(({ spec }) => !spec.nodeName);
  const all = [...tooMany, ...stuck, ...orphaned, ...unplaced].map((pod) => ({ pod, orphaned: orphaned.includes(pod) }));
  return [...new Map(all.map((each) => [each.pod.metadata.uid, each])).values()];
}

/** Names of nodes that pods are bound to, and that are not there. */
export const missingNodes = (pods: readonly Pod[], nodes: ReadonlyMap<string, Node>): readonly string[] =>
  [...new Set(pods.flatMap(({ spec }) => spec.nodeName || []))].filter((name) => !nodes.has(name));

function isOutOfService(node: Node | undefined): boolean {
  const isReady = node?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
  return node !== undefined && !isReady && (node.spec?.taints ?? []).some(({ key }) => key === outOfService);
}

/** Evicted ones first, so that those of controllers are kept longer; then by age, then by name. */
function byAge(a: Pod, b: Pod): number {
  const [first, second] = [isEvicted(a), isEvicted(b)];
  if (first !== second) return first ? -1 : 1;
  return Date.parse(a.metadata.creationTimestamp ?? "") - Date.parse(b.metadata.creationTimestamp ?? "") || (a.metadata.name < b.metadata.name ? -1 : 1);
}

const isEvicted = ({ status }: Pod): boolean => status?.phase === "Failed" && status["reason"] === "Evicted";
