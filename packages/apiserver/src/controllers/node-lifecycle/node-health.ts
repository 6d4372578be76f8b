// Derives taints and labels of a node from its conditions, and its conditions once its kubelet
// stops reporting. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go.
import type { Node, Taint, PodCondition } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

const key = (name: string): string => `node.kubernetes.io/${name}`;
const notReady = key("not-ready");
const unreachable = key("unreachable");
const unschedulable = key("unschedulable");

/** The taint of a condition, by type and status. */
const taintOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: notReady, Unknown: unreachable },
  MemoryPressure: { True: key("memory-pressure") },
  DiskPressure: { True: key("disk-pressure") },
  NetworkUnavailable: { True: key("network-unavailable") },
  PIDPressure: { True: key("pid-pressure") },
};
const ours: ReadonlySet<string> = new Set([
  unschedulable,
  ...Object.values(taintOf).flatMap((one) => Object.values(one)),
]);

/** How long a node may go without a heartbeat: before its first one, and later. */
export const graceMs = ({ status }: Node): number =>
  readyStatus(status.conditions ?? []) === undefined ? 60_000 : 50_000;

export const readyStatus = (
  conditions: readonly PodCondition[],
): PodCondition["status"] | undefined => conditions.find(({ type }) => type === "Ready")?.status;

/** Whether pods are evicted from nodes that are not ready. */
export type Eviction = "yes" | "no more" | "never";

/** In zones up to this size no further pods are evicted while most nodes are down. */
const largeZone = 50;

/**
 * Decides for the nodes of each zone. If every node is down, the control plane is probably
 * disconnected: nothing is evicted, and evictions in progress are cancelled.
 */
export function evictionByZone(nodes: readonly Node[]): (node: Node) => Eviction {
  const zones = new Map<string, { ready: number; down: number }>();
  for (const node of nodes.filter(({ metadata }) => !(exempt in (metadata.labels ?? {})))) {
    const zone = zones.get(zoneOf(node)) ?? { ready: 0, down: 0 };
    zones.set(zoneOf(node), zone);
    if (readyStatus(node.status.conditions ?? []) === "True") zone.ready++;
    else zone.down++;
  }
  if ([...zones.values()].every(({ ready }) => ready === 0)) return () => "never";
  return (node) => {
    const { ready, down } = zones.get(zoneOf(node)) ?? { ready: 1, down: 0 };
    const isPartial = ready > 0 && down > 2 && down / (ready + down) >= 0.55;
    return isPartial && ready + down <= largeZone ? "no more" : "yes";
  };
}

const exempt = "node.kubernetes.io/exclude-disruption";
const zoneOf = ({ metadata: { labels = {} } }: Node): string =>
  `${labels["topology.kubernetes.io/region"] ?? ""}:${labels["topology.kubernetes.io/zone"] ?? ""}`;

/** The taints that a node should have; undefined if it has them. Taints of others stay. */
export function nextTaints(
  { spec, status }: Node,
  { now, eviction }: { readonly now: number; readonly eviction: Eviction },
): readonly Taint[] | undefined {
  const taints = spec.taints ?? [];
  const conditions = status.conditions ?? [];
  const meant = conditions.flatMap(({ type, status: state }): readonly Taint[] => {
    const found = taintOf[type]?.[state];
    return found === undefined ? [] : [{ key: found, effect: "NoSchedule" }];
  });
  const cordon: readonly Taint[] = spec.unschedulable
    ? [{ key: unschedulable, effect: "NoSchedule" }]
    : [];
  const ready = readyStatus(conditions);
  const stays =
    eviction === "never" ||
    (eviction === "no more" &&
      !taints.some(
        ({ key: name, effect }) =>
          effect === "NoExecute" && (name === notReady || name === unreachable),
      ));
  const evicting: readonly Taint[] =
    ready === undefined || ready === "True" || stays
      ? []
      : [{ key: ready === "False" ? notReady : unreachable, effect: "NoExecute" }];
  const wanted: readonly Taint[] = [...meant, ...cordon, ...evicting];
  const is = (one: Taint) => (other: Taint) => one.key === other.key && one.effect === other.effect;
  const isOurs = ({ key: name, effect }: Taint): boolean =>
    (effect === "NoSchedule" && ours.has(name)) ||
    (effect === "NoExecute" && (name === notReady || name === unreachable));
  // A node that has never reported loses its initial taint: no condition asks for it.
  const kept = taints.filter((taint) => !isOurs(taint) || wanted.some(is(taint)));
  const added = wanted.filter((taint) => !taints.some(is(taint)));
  return kept.length === taints.length && added.length === 0
    ? undefined
    : [...kept, ...added.map((taint) => ({ ...taint, timeAdded: formatTime(now) }))];
}

/** The conditions of a node without heartbeats; undefined if they are set already. */
export function unknownConditions(
  { metadata, status }: Node,
  now: number,
): readonly object[] | undefined {
  const conditions = status.conditions ?? [];
  if (readyStatus(conditions) === "Unknown") return undefined;
  return ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"].flatMap(
    (type): readonly object[] => {
      const before = conditions.find((one) => one.type === type);
      const lastTransitionTime = formatTime(now);
      if (!before)
        return [
          {
            type,
            status: "Unknown",
            reason: "NodeStatusNeverUpdated",
            message: "Kubelet never posted node status.",
            lastHeartbeatTime: metadata.creationTimestamp ?? null,
            lastTransitionTime,
          },
        ];
      return before.status === "Unknown"
        ? []
        : [
            {
              ...before,
              status: "Unknown",
              reason: "NodeStatusUnknown",
              message: "Kubelet stopped posting node status.",
              lastTransitionTime,
            },
          ];
    },
  );
}

/** Labels that follow from others; undefined if they are set already. */
export function nextLabels({
  metadata: { labels = {} },
}: Node): Readonly<Record<string, string>> | undefined {
  const due = ["os", "arch"].flatMap((name) => {
    const value = labels[`kubernetes.io/${name}`];
    return value === undefined || labels[`beta.kubernetes.io/${name}`] === value
      ? []
      : [[`beta.kubernetes.io/${name}`, value] as const];
  });
  return due.length === 0 ? undefined : Object.fromEntries(due);
}
