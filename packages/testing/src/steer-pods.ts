// Steers fake pods and nodes in a test, by annotations that any client can set as well.
import type { Client, Key } from "homeostat/client";
import { Node, Pod } from "homeostat/k8s/core/v1";

/**
 * The fate of a simulated pod. hold: it never starts; unready: it runs, but is not ready;
 * crash-loop: its containers exit and restart with growing delays; oom: the same, with reason
 * OOMKilled; fail, succeed: it ends as Failed or Succeeded; evict: its node evicts it.
 */
export type PodFate = "hold" | "unready" | "crash-loop" | "oom" | "fail" | "succeed" | "evict";

/**
 * The readiness of a fake node. ready, not-ready: the status of its condition Ready; unknown: its
 * heartbeats stop and its conditions become Unknown at once; silent: its heartbeats stop, and its
 * conditions become Unknown after 50 seconds.
 */
export type NodeReadiness = "ready" | "not-ready" | "unknown" | "silent";

/** Values of the annotation `simulator.homeostat.dev/ready`. */
const readyValues: Readonly<Record<NodeReadiness, string | null>> = {
  ready: null,
  "not-ready": "false",
  unknown: "unknown",
  silent: "silent",
};

/** Sets the fate of a pod on a fake node; `"none"` restores its normal lifecycle. */
export async function setPodFate(client: Client, pod: Key, fate: PodFate | "none"): Promise<void> {
  await client.patch(Pod, pod, {
    type: "merge",
    body: {
      metadata: { annotations: { "simulator.homeostat.dev/fate": fate === "none" ? null : fate } },
    },
  });
}

/** Sets the readiness of a fake node. Taints and evictions follow as in any cluster. */
export async function setNodeReadiness(
  client: Client,
  node: string,
  readiness: NodeReadiness,
): Promise<void> {
  await client.patch(Node, node, {
    type: "merge",
    body: {
      metadata: { annotations: { "simulator.homeostat.dev/ready": readyValues[readiness] } },
    },
  });
}
