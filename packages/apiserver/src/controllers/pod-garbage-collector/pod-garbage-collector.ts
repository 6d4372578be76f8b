// Removes pods that nobody can end any more: those of nodes that are gone for a while or out of
// service, and those that were deleted and never had a node. Pods that are through are not counted:
// upstream keeps 12,500 of them.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { isNotFound, parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import type { ControllerDescriptor } from "../../component-helpers/controller/controller.ts";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { type Abandonment, abandonmentOf, lastStatus, quarantineMs } from "./abandoned.ts";

/** Starts the collection of abandoned pods. */
export const startPodGarbageCollector: ControllerDescriptor["start"] = async (context) => {
  const { client, runtime } = context;
  const controller = new KeyedController(context, "the collection of pods");
  const pods = controller.acquire(Pod);
  const nodes = controller.acquire(Node);
  pods.addIndex("node", nodeIndex);
  /** Since when nodes have been missing, by name; on the monotonic clock. */
  const missing = new Map<string, number>();
  const wake = ({ key }: CachedObject): void => controller.add(key);
  const wakePods = ({ key }: CachedObject): void => pods.entriesByIndex("node", key).forEach(wake);
  controller.follow(pods, { added: wake, updated: (_, pod) => wake(pod) });
  controller.follow(nodes, {
    added: ({ key }) => void missing.delete(key),
    updated: (_, node) => wakePods(node),
    deleted: wakePods,
  });

  const collect = async (pod: Pod, why: Abandonment): Promise<void> => {
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
      if (!isNotFound(error)) throw error;
    }
  };

  return controller.start(async (key) => {
    const pod = pods.get(parseObjectKey(key));
    if (!pod) return undefined;
    const { nodeName = "" } = pod.spec;
    const why = abandonmentOf(pod, nodes.get({ name: nodeName }));
    if (why === "orphan") {
      const now = runtime.clock.monotonic();
      const since = missing.get(nodeName) ?? now;
      missing.set(nodeName, since);
      if (since + quarantineMs > now) return since + quarantineMs - now;
      if (await client.find(Node, nodeName)) return undefined;
    }
    if (why !== undefined) await collect(pod, why);
    return undefined;
  });
};
