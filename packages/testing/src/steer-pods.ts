// What a test does to pods and nodes behind which nothing is: annotations, which any client can set
// as well.
import type { Kind } from "homeostat";
import { type Client, dynamicKind, type Key } from "homeostat/client";

/**
 * What becomes of a pod from now on. hold: it never starts; unready: it runs, and is not ready;
 * crash-loop: it ends and is started again, after longer and longer pauses; oom: the same, for want
 * of memory; fail, succeed: it ends so; evict: its node wants it gone.
 */
export type PodFate = "hold" | "unready" | "crash-loop" | "oom" | "fail" | "succeed" | "evict";

/**
 * What is to be heard of a node. ready: that it is well; not-ready: that it is not; unknown:
 * nothing, as if for a minute already; silent: nothing from now on, which others find out after 50
 * seconds.
 */
export type NodeReadiness = "ready" | "not-ready" | "unknown" | "silent";

const pods = dynamicKind({
  apiVersion: "v1",
  kind: "Pod",
  resource: "pods",
  scope: "Namespaced",
}) as Kind;
const nodes = dynamicKind({
  apiVersion: "v1",
  kind: "Node",
  resource: "nodes",
  scope: "Cluster",
}) as Kind;

/**
 * Decides what becomes of a pod; `"none"` leaves it to itself again. The pod must run on a fake
 * node.
 */
export async function setPodFate(client: Client, pod: Key, fate: PodFate | "none"): Promise<void> {
  await client.patch(pods, pod, {
    type: "merge",
    body: {
      metadata: { annotations: { "simulator.homeostat.dev/fate": fate === "none" ? null : fate } },
    },
  });
}

/** Decides what is heard of a fake node. Taints and evictions follow as they do in a cluster. */
export async function setNodeReadiness(
  client: Client,
  node: string,
  readiness: NodeReadiness,
): Promise<void> {
  const word = { ready: null, "not-ready": "false", unknown: "unknown", silent: "silent" }[
    readiness
  ];
  await client.patch(nodes, node, {
    type: "merge",
    body: { metadata: { annotations: { "simulator.homeostat.dev/ready": word } } },
  });
}
