// The manifest, status, network and lease of a fake node. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/{kubelet_node_status.go,nodestatus/setters.go},
// component-helpers/apimachinery/lease.
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import type { Node, NodeCondition, NodeStatus } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/**
 * Sets the readiness of a node. `"false"`: not ready. `"unknown"`: no heartbeats, and the
 * conditions become Unknown at once. `"silent"`: no heartbeats only.
 */
export const readyAnnotation = "simulator.homeostat.dev/ready";
/** The values of {@link readyAnnotation}. */
export const readyValues = ["true", "false", "unknown", "silent"];
/** `none` makes a node unmanaged: another program reports its status. */
export const kubeletAnnotation = "simulator.homeostat.dev/kubelet";

/** The simulated state of a node. */
export type NodeState = "ready" | "not ready" | "unknown" | "silent" | "unmanaged";

/** The renewal interval and the duration of node leases. */
export const leaseMs = { renewEvery: 10_000, duration: 40_000 };
const heartbeatMs = 300_000;

export function nodeStateOf({ metadata: { annotations = {} } }: Node): NodeState {
  if (annotations[kubeletAnnotation] === "none") return "unmanaged";
  const readiness = annotations[readyAnnotation];
  if (readiness === "false") return "not ready";
  return readiness === "unknown" || readiness === "silent" ? readiness : "ready";
}

/** The name of the nth fake node. */
export const nodeName = (index: number): string => `fake-node-${index}`;

/** The manifest of the nth fake node. Zones repeat after three nodes. */
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

/** The address of a node and the range of its pods. */
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

/** The first network whose address and range are not taken. */
export function freeNetwork(taken: ReadonlySet<string>): NodeNetwork {
  for (let number = 0; ; number++) {
    const network = networkOf(number);
    if (!taken.has(network.podCidr) && !taken.has(network.hostIp)) return network;
  }
}

/** The InternalIP of a node. */
export const addressOf = ({ status }: Node): string | undefined =>
  status?.addresses?.find(({ type }) => type === "InternalIP")?.address;

/** The first free address of a network `10.1.2.0/24`; undefined if all are taken. */
export function freeAddress(cidr: string, taken: ReadonlySet<string>): string | undefined {
  const [base = "", bits = "24"] = cidr.split("/");
  const first = base.split(".").reduce((value, part) => value * 256 + Number(part), 0);
  const last = first + 2 ** (32 - Number(bits)) - 2;
  for (let address = first + 1; address <= last; address++)
    if (!taken.has(dotted(address))) return dotted(address);
  return undefined;
}

function readyStatusOf(state: NodeState): NodeCondition["status"] {
  if (state === "unknown") return "Unknown";
  return state === "ready" ? "True" : "False";
}

/**
 * The status to write, or undefined if the node has it. Keeps capacity and allocatable that the
 * node already has.
 */
export function nodeStatus(
  node: Node,
  { hostIp, now }: { readonly hostIp: string; readonly now: number },
): object | undefined {
  const state = nodeStateOf(node);
  const before = node.status?.conditions ?? [];
  const ready = before.find(({ type }) => type === "Ready");
  const wanted = readyStatusOf(state);
  const isFresh =
    state === "unknown" || Date.parse(ready?.lastHeartbeatTime ?? "") > now - heartbeatMs;
  if (ready?.status === wanted && isFresh && isAllocatable(node.status)) return undefined;
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
    ...mergedResources(node.status),
    addresses: addressOf(node) === undefined ? own : node.status?.addresses,
    conditions,
    nodeInfo: { ...nodeInfo, architecture },
  };
}

const defaultCapacity = {
  cpu: "32",
  memory: "256Gi",
  "ephemeral-storage": "1Ti",
  pods: String(addresses),
};

/** Existing capacity and allocatable over the defaults. Allocatable defaults to capacity. */
function mergedResources({ capacity = {}, allocatable = {} }: NodeStatus = {}): NodeStatus {
  return {
    capacity: { ...defaultCapacity, ...capacity },
    allocatable: { ...defaultCapacity, ...capacity, ...allocatable },
  };
}

/** Whether every resource of the capacity is allocatable, e.g. extended resources of a test. */
const isAllocatable = ({ capacity = {}, allocatable = {} }: NodeStatus = {}): boolean =>
  Object.keys(capacity).every((name) => Object.hasOwn(allocatable, name));

/** The conditions of a node for a status of Ready. */
export function conditionsOf(ready: NodeCondition["status"]): readonly NodeCondition[] {
  const unknown = {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  } as const;
  const healthy = (type: string, reason: string, message: string): NodeCondition =>
    ready === "Unknown" ? { type, ...unknown } : { type, status: "False", reason, message };
  const readiness: NodeCondition =
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
          message: `set by the annotation ${readyAnnotation}`,
        };
  return [
    healthy(
      "MemoryPressure",
      "KubeletHasSufficientMemory",
      "kubelet has sufficient memory available",
    ),
    healthy("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    healthy("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ready === "Unknown" ? { type: "Ready", ...unknown } : readiness,
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

/** The lease of a node. */
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

/** A MicroTime, e.g. `2024-01-01T00:00:00.000000Z`. */
export const renewTime = (now: number): string => new Date(now).toISOString().replace("Z", "000Z");
