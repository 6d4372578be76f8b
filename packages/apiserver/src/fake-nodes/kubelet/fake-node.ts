// What a node says of itself, though nothing is behind it: addresses, room, conditions, a lease.
// Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/{kubelet_node_status.go,nodestatus/setters.go},
// component-helpers/apimachinery/lease.
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import type { Node, PodCondition } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/**
 * What a test wants of a node: `"false"` makes it not ready; `"unknown"` makes it fall silent, and
 * says at once what others would say of it after a while; `"silent"` makes it fall silent and no
 * more.
 */
export const readyAnnotation = "simulator.homeostat.dev/ready";
/** `none` on a node: somebody else speaks for it. */
export const kubeletAnnotation = "simulator.homeostat.dev/kubelet";

export type NodeMood = "ready" | "not ready" | "unknown" | "silent" | "not ours";

/** How often a node says that it is there, and how long that holds. */
export const leaseMs = { renewEvery: 10_000, duration: 40_000 };
const heartbeatMs = 300_000;

export function moodOf({ metadata: { annotations = {} } }: Node): NodeMood {
  if (annotations[kubeletAnnotation] === "none") return "not ours";
  const said = annotations[readyAnnotation];
  return said === "false" ? "not ready" : said === "unknown" || said === "silent" ? said : "ready";
}

/** The name of the nth node that is made. */
export const nodeName = (index: number): string => `fake-node-${index}`;

/** A node to create: three zones, in turn. */
export function nodeManifest(index: number): object {
  const name = nodeName(index);
  const labels = {
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": name,
    "kubernetes.io/os": "linux",
    "topology.kubernetes.io/region": "fake",
    "topology.kubernetes.io/zone": `fake-${"abc"[index % 3]}`,
  };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}

/** Where a node lies: its own address, and those of its pods. */
export interface NodeNetwork {
  readonly hostIp: string;
  readonly podCidr: string;
}

const addresses = 1022;

/** The network of the nth node: 1022 pods each, from `10.244.0.0/22` on. */
export const networkOf = (number: number): NodeNetwork => ({
  hostIp: dotted(192 * 2 ** 24 + 168 * 2 ** 16 + number + 1),
  podCidr: `${dotted(firstPod + number * 1024)}/22`,
});

const firstPod = 10 * 2 ** 24 + 244 * 2 ** 16;
const dotted = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) & 255).join(".");

/** The first network that none of these has; `node` may have said a part of its own already. */
export function freeNetwork(taken: ReadonlySet<string>): NodeNetwork {
  for (let number = 0; ; number++) {
    const network = networkOf(number);
    if (!taken.has(network.podCidr) && !taken.has(network.hostIp)) return network;
  }
}

/** A node's own address, if it has said one. */
export const addressOf = ({ status }: Node): string | undefined =>
  (
    (status?.["addresses"] ?? []) as readonly { readonly type: string; readonly address: string }[]
  ).find(({ type }) => type === "InternalIP")?.address;

/** The first address of a network `10.1.2.0/24` that is not taken; undefined where all are. */
export function freeAddress(cidr: string, taken: ReadonlySet<string>): string | undefined {
  const [base = "", bits = "24"] = cidr.split("/");
  const first = base.split(".").reduce((value, part) => value * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(bits)) - 2;
  for (let address = first + 1; address <= last; address++)
    if (!taken.has(dotted(address))) return dotted(address);
  return undefined;
}

/**
 * The status that a node ought to have, or undefined where it has it. What somebody else has said
 * of its room stays.
 */
export function nodeStatus(
  node: Node,
  { hostIp, now }: { readonly hostIp: string; readonly now: number },
): object | undefined {
  const mood = moodOf(node);
  const before = (node.status?.conditions ?? []) as readonly (PodCondition & {
    readonly lastHeartbeatTime?: string;
  })[];
  const ready = before.find(({ type }) => type === "Ready");
  const wanted = mood === "ready" ? "True" : mood === "unknown" ? "Unknown" : "False";
  const isFresh =
    mood === "unknown" || Date.parse(ready?.lastHeartbeatTime ?? "") > now - heartbeatMs;
  if (ready?.status === wanted && isFresh && isAllotted(node.status)) return undefined;
  const conditions = conditionsOf(wanted).map((one) => {
    const old = before.find(({ type }) => type === one.type);
    const since =
      old?.status === one.status ? (old.lastTransitionTime ?? formatTime(now)) : formatTime(now);
    return {
      ...one,
      ...(wanted === "Unknown" ? {} : { lastHeartbeatTime: formatTime(now) }),
      lastTransitionTime: since,
    };
  });
  const own = [
    { type: "InternalIP", address: hostIp },
    { type: "Hostname", address: node.metadata.name },
  ];
  const { architecture = "amd64" } = { architecture: node.metadata.labels?.["kubernetes.io/arch"] };
  return {
    capacity: room,
    allocatable: room,
    ...given(node.status),
    addresses: addressOf(node) === undefined ? own : node.status?.["addresses"],
    conditions,
    nodeInfo: { ...nodeInfo, architecture },
  };
}

const room = { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: String(addresses) };

/** Capacity and allocatable as they were given, if they were; one stands for the other. */
function given(status: Node["status"]): object {
  const capacity = (status?.["capacity"] ?? {}) as object;
  const allocatable = (status?.["allocatable"] ?? {}) as object;
  return {
    capacity: { ...room, ...capacity },
    allocatable: { ...room, ...capacity, ...allocatable },
  };
}

/**
 * What somebody has come to add to the capacity, a resource of their own for instance, is to be had
 * as well.
 */
const isAllotted = (status: Node["status"]): boolean =>
  Object.keys((status?.["capacity"] ?? {}) as object).every((name) =>
    Object.hasOwn((status?.["allocatable"] ?? {}) as object, name),
  );

/** Conditions of a node that is ready, is not, or cannot be asked. */
export function conditionsOf(ready: PodCondition["status"]): readonly PodCondition[] {
  const unknown = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  } as const;
  const fine = (type: string, reason: string, message: string): PodCondition =>
    ready === "Unknown" ? { type, ...unknown } : { type, status: "False", reason, message };
  const says: PodCondition =
    ready === "True"
      ? {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          message: "kubelet is posting ready status",
        }
      : {
          type: "Ready",
          status: "False",
          reason: "KubeletNotReady",
          message: `the annotation ${readyAnnotation} says so`,
        };
  return [
    fine("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    fine("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    fine("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ready === "Unknown" ? { type: "Ready", ...unknown } : says,
  ];
}

const nodeInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "none: this node is simulated",
  containerRuntimeVersion: "fake://0",
  kubeletVersion: kubernetesVersion,
  kubeProxyVersion: "",
  operatingSystem: "linux",
};

/** The lease by which a node says that it is there. */
export function leaseManifest(
  { apiVersion, kind, metadata: { name, uid } }: Node,
  now: number,
): object {
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace: "kube-node-lease",
      ownerReferences: [{ apiVersion: apiVersion || "v1", kind: kind || "Node", name, uid }],
    },
    spec: {
      holderIdentity: name,
      leaseDurationSeconds: leaseMs.duration / 1000,
      renewTime: renewTime(now),
    },
  };
}

/** Microseconds, as leases have it. */
export const renewTime = (now: number): string => new Date(now).toISOString().replace("Z", "000Z");
