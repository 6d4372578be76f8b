// Watches over nodes: taints them by their conditions, declares them unknown when nobody renews
// their lease, and then says of their pods that they are not ready. Whom taints drive away is
// another controller's work.
// Upstream: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go,
// pkg/controller/util/node.
import { isConflict, isNotFound, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import { Lease } from "homeostat/k8s/coordination/v1";
import { objectReference, type EventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import {
  dueLabels,
  dueTaints,
  evictionByZone,
  graceMs,
  readyStatus,
  silentConditions,
} from "./node-health.ts";

const leaseNamespace = "kube-node-lease";

/** Starts watching over nodes. */
export const startNodeLifecycle: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the watch over nodes");
  const recorder = controller.createRecorder("node-controller");
  const lifecycle = new NodeLifecycle(context, controller, recorder);
  return controller.start((name) => lifecycle.look(name));
};

/** When a node was last heard of, and what it said. */
interface Heard {
  readonly uid: string;
  readonly word: string;
  /** On the monotonic clock. */
  readonly at: number;
}

class NodeLifecycle {
  readonly #context: ControllerContext;
  readonly #recorder: EventRecorder;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #pods: Informer<Kind<Pod>>;
  readonly #leases: Informer<Kind<Lease>>;
  readonly #heard = new Map<string, Heard>();

  constructor(context: ControllerContext, controller: KeyedController, recorder: EventRecorder) {
    this.#context = context;
    this.#recorder = recorder;
    this.#nodes = controller.acquire(Node);
    this.#pods = controller.acquire(Pod);
    this.#leases = controller.acquire(Lease);
    this.#pods.addIndex("node", nodeIndex);
    controller.follow(this.#nodes, {
      added: ({ key }) => controller.add(key),
      updated: (old, node) => {
        // Whether pods are driven from a node depends on how the others are.
        const isOther =
          readyStatus(old.read().status.conditions ?? []) !==
          readyStatus(node.read().status.conditions ?? []);
        for (const { key } of isOther ? this.#nodes.entries() : [node]) controller.add(key);
      },
      deleted: (node) => {
        this.#heard.delete(node.key);
        this.#tell(
          node.read(),
          "RemovingNode",
          `Node ${node.key} event: Removing Node ${node.key} from Controller`,
        );
      },
    });
    // A lease that is renewed postpones the next look, which the next look finds out for itself.
    controller.follow(this.#leases, {
      added: ({ key }) => controller.add(key.slice(key.indexOf("/") + 1)),
    });
  }

  /** Brings one node in order; resolves to when its silence will have been too long. */
  async look(name: string): Promise<number | undefined> {
    const node = this.#nodes.get({ name });
    if (!node) return undefined;
    const leftMs = this.#listen(node);
    try {
      const silent = leftMs > 0 ? undefined : silentConditions(node, this.#now());
      if (silent) await this.#declareSilent(node, silent);
      else await this.#mark(node);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return leftMs > 0 ? leftMs : undefined;
  }

  /** How long a node may still be silent. */
  #listen(node: Node): number {
    const { name, uid } = node.metadata;
    const heartbeat = node.status.conditions?.find(({ type }) => type === "Ready");
    const word = JSON.stringify([
      heartbeat?.lastHeartbeatTime,
      this.#leases.get({ namespace: leaseNamespace, name })?.spec.renewTime,
    ]);
    const now = this.#context.runtime.clock.monotonic();
    const before = this.#heard.get(name);
    if (before?.uid !== uid)
      this.#tell(
        node,
        "RegisteredNode",
        `Node ${name} event: Registered Node ${name} in Controller`,
      );
    const at = before?.uid === uid && before.word === word ? before.at : now;
    this.#heard.set(name, { uid, word, at });
    return at + graceMs(node) - now;
  }

  async #declareSilent(node: Node, conditions: readonly object[]): Promise<void> {
    const { name, uid, resourceVersion } = node.metadata;
    const wasReady = readyStatus(node.status.conditions ?? []) === "True";
    await this.#context.client.patch(
      Node,
      name,
      { type: "strategic", body: { metadata: { uid, resourceVersion }, status: { conditions } } },
      { subresource: "status" },
    );
    if (!wasReady) return;
    this.#tell(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    for (const pod of this.#pods.byIndex("node", name)) await this.#markPod(pod);
  }

  async #markPod(pod: Pod): Promise<void> {
    const ready = readyCondition(pod);
    if (!ready) return;
    const { name, namespace, uid } = pod.metadata;
    const condition = { ...ready, status: "False", lastTransitionTime: formatTime(this.#now()) };
    try {
      await this.#context.client.patch(
        Pod,
        { name, namespace },
        { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
        { subresource: "status" },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return;
    }
    this.#recorder.record({
      regarding: objectReference(Pod, pod),
      type: "Warning",
      reason: "NodeNotReady",
      note: "Node is not ready",
    });
  }

  async #mark(node: Node): Promise<void> {
    const taints = dueTaints(node, {
      now: this.#now(),
      eviction: evictionByZone(this.#nodes.list())(node),
    });
    const labels = dueLabels(node);
    if (!taints && !labels) return;
    const { name, resourceVersion } = node.metadata;
    const body = {
      metadata: { resourceVersion, ...(labels ? { labels } : {}) },
      ...(taints ? { spec: { taints: taints.length > 0 ? taints : null } } : {}),
    };
    await this.#context.client.patch(Node, name, { type: "merge", body });
  }

  #tell({ metadata }: Node, reason: string, message: string): void {
    const regarding = { apiVersion: "v1", kind: "Node", name: metadata.name, uid: metadata.uid };
    this.#recorder.record({ regarding, type: "Normal", reason, note: message });
  }

  #now(): number {
    return this.#context.runtime.clock.now();
  }
}
