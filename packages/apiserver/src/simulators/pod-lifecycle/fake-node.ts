// What a node says of itself, though nothing is behind it: addresses, room, conditions; and the taint that keeps pods off
// while it is not ready. Pure.
// Upstream: k8s.io/kubernetes/pkg/kubelet/nodestatus/setters.go, k8s.io/kubernetes/pkg/controller/nodelifecycle.
import { formatSeconds, type Node, type Taint, type WorkloadCondition } from "../workload-objects.ts";

/** The node that is made where there is none. */
export const defaultNode = "fake-node-0";
/** `"false"` on a node makes it not ready. */
export const readyAnnotation = "simulator.homeostat.dev/ready";
const notReadyTaint = "node.kubernetes.io/not-ready";
const room = { cpu: "32", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "1000" };

/** True unless a test wants the node to fail. */
export const isNodeReady = ({ metadata }: Node): boolean => metadata.annotations?.[readyAnnotation] !== "false";

/** A node to create. */
export function nodeManifest(name: string): object {
  const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64" };
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}

/** The status that a node ought to have, or undefined where it has it. What somebody else has said of its room stays. */
export function nodeStatus(node: Node, { hostIp, now }: { readonly hostIp: string; readonly now: number }): object | undefined {
  const before = node.status?.conditions ?? [];
  const wanted = isNodeReady(node) ? "True" : "False";
  if (before.find(({ type }) => type === "Ready")?.status === wanted) return undefined;
  const conditions = conditionsOf(wanted).map((one) => ({ ...one, lastHeartbeatTime: formatSeconds(now), lastTransitionTime: formatSeconds(now) }));
  const addresses = [
    { type: "InternalIP", address: hostIp },
    { type: "Hostname", address: node.metadata.name },
  ];
  return { capacity: room, allocatable: room, addresses, ...pick(node.status), conditions, nodeInfo };
}

/** Capacity and allocatable as they were given, if they were. */
function pick(status: Node["status"]): object {
  const given = (["capacity", "allocatable"] as const).filter((field) => Object.keys((status?.[field] as object | undefined) ?? {}).length > 0);
  return Object.fromEntries(given.map((field) => [field, status?.[field]]));
}

function conditionsOf(ready: "True" | "False"): readonly WorkloadCondition[] {
  const fine = (type: string, reason: string, message: string): WorkloadCondition => ({ type, status: "False", reason, message });
  return [
    fine("MemoryPressure", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    fine("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    fine("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ready === "True"
      ? { type: "Ready", status: "True", reason: "KubeletReady", message: "kubelet is posting ready status" }
      : { type: "Ready", status: "False", reason: "KubeletNotReady", message: `the annotation ${readyAnnotation} says so` },
  ];
}

const nodeInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "none: this node is simulated",
  containerRuntimeVersion: "fake://0",
  kubeletVersion: "v1.36.3",
  kubeProxyVersion: "",
  operatingSystem: "linux",
  architecture: "amd64",
};

/** The taints that a node ought to have, or undefined where it has them. */
export function nodeTaints(node: Node): readonly Taint[] | undefined {
  const taints = node.spec?.taints ?? [];
  const tainted = taints.some(({ key }) => key === notReadyTaint);
  if (tainted !== isNodeReady(node)) return undefined;
  return tainted ? taints.filter(({ key }) => key !== notReadyTaint) : [...taints, { key: notReadyTaint, effect: "NoSchedule" }];
}
