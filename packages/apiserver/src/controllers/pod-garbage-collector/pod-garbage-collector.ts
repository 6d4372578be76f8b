// Deletes pods that no kubelet can end: pods of nodes that are gone or out of service, and deleted
// pods that were never scheduled. Finished pods are not counted: upstream keeps 12,500 of them.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import type { Start, ControllerContext } from "../../component-helpers/controller/controller.ts";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { type GarbageReason, garbageReason, lastStatus, quarantineMs } from "./garbage-reason.ts";

/** Starts `podgc`. */
export const start: Start = async (context) => {
  const { client, runtime } = context;
  const controller = new KeyedController(context, "the podgc controller");
  const pods = controller.acquire(Pod, { node: nodeIndex });
  const nodes = controller.acquire(Node);
  /** When nodes were first found missing, by name; on the monotonic clock. */
  const missing = new Map<string, number>();
  const enqueue = ({ key }: CachedObject): void => controller.add(key);
  const enqueuePods = ({ key }: CachedObject): void =>
    pods.entriesByIndex("node", key).forEach(enqueue);
  controller.follow(pods, { added: enqueue, updated: (_, pod) => enqueue(pod) });
  controller.follow(nodes, {
    added: ({ key }) => void missing.delete(key),
    updated: (_, node) => enqueuePods(node),
    deleted: enqueuePods,
  });

  return controller.start(async (key) => {
    const pod = pods.get(parseObjectKey(key));
    if (!pod) return undefined;
    const { nodeName = "" } = pod.spec;
    const why = garbageReason(pod, nodes.get({ name: nodeName }));
    if (why === "orphan") {
      const now = runtime.clock.monotonic();
      const since = missing.get(nodeName) ?? now;
      missing.set(nodeName, since);
      if (since + quarantineMs > now) return since + quarantineMs - now;
      if (await client.find(Node, nodeName)) return undefined;
    }
    if (why !== undefined) await collect(context, pod, why);
    return undefined;
  });
};

async function collect(
  { client, runtime }: ControllerContext,
  pod: Pod,
  why: GarbageReason,
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  const status = lastStatus(pod, why, runtime.clock.now());
  try {
    if (status)
      await client.patch(
        Pod,
        { name, namespace },
        { type: "strategic", body: { metadata: { uid }, status } },
        { subresource: "status" },
      );
    if (pod.metadata.deletionGracePeriodSeconds !== 0)
      await client.delete(Pod, { name, namespace }, { gracePeriodSeconds: 0 });
  } catch (error) {
    ignoreNotFound(error);
  }
}
