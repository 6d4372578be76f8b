// Monitors nodes: taints them by their conditions, marks them unknown when their lease expires, and
// then marks their pods not ready. The taint eviction controller evicts the pods.
// Upstream: k8s.io/kubernetes/pkg/controller/nodelifecycle/node_lifecycle_controller.go,
// pkg/controller/util/node.
import { isConflict, isNotFound } from "homeostat/api";
import { Lease } from "homeostat/k8s/coordination/v1";
import { eventsAbout } from "../../component-helpers/controller/events-about.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import {
  nextLabels,
  nextTaints,
  evictionByZone,
  graceMs,
  readyStatus,
  unknownConditions,
} from "./node-health.ts";

const leaseNamespace = "kube-node-lease";

/** Starts `nodelifecycle`. */
export const start: Start = async (context) => new NodeLifecycleController(context);

/** The last heartbeat of a node. */
interface Heartbeat {
  readonly uid: string;
  readonly value: string;
  /** On the monotonic clock. */
  readonly at: number;
}

class NodeLifecycleController extends KeyedController {
  readonly #recorder = this.createRecorder("node-controller");
  readonly #nodes = this.acquire(Node);
  readonly #pods = this.acquire(Pod, { node: nodeIndex });
  readonly #leases = this.acquire(Lease);
  readonly #heartbeats = new Map<string, Heartbeat>();

  constructor(context: ControllerContext) {
    super(context, "the nodelifecycle controller");
    this.follow(this.#nodes, {
      added: ({ key }) => this.add(key),
      updated: (old, node) => {
        // Whether pods are driven from a node depends on how the others are.
        const isOther =
          readyStatus(old.read().status.conditions ?? []) !==
          readyStatus(node.read().status.conditions ?? []);
        for (const { key } of isOther ? this.#nodes.entries() : [node]) this.add(key);
      },
      deleted: (node) => {
        this.#heartbeats.delete(node.key);
        this.#record(
          node.read(),
          "RemovingNode",
          `Node ${node.key} event: Removing Node ${node.key} from Controller`,
        );
      },
    });
    // A renewed lease postpones the next sync, which finds out for itself.
    this.follow(this.#leases, {
      added: ({ key }) => this.add(key.slice(key.indexOf("/") + 1)),
    });
    this.start((name) => this.#sync(name));
  }

  /** Syncs one node; resolves to the milliseconds until its heartbeat is overdue. */
  async #sync(name: string): Promise<number | undefined> {
    const node = this.#nodes.get({ name });
    if (!node) return undefined;
    const leftMs = this.#untilOverdue(node);
    try {
      const unknown = leftMs > 0 ? undefined : unknownConditions(node, this.#now());
      if (unknown) await this.#markUnknown(node, unknown);
      else await this.#processTaints(node);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return leftMs > 0 ? leftMs : undefined;
  }

  /** Milliseconds until the heartbeat of a node is overdue. */
  #untilOverdue(node: Node): number {
    const { name, uid } = node.metadata;
    const heartbeat = node.status.conditions?.find(({ type }) => type === "Ready");
    const value = JSON.stringify([
      heartbeat?.lastHeartbeatTime,
      this.#leases.get({ namespace: leaseNamespace, name })?.spec.renewTime,
    ]);
    const now = this.context.runtime.clock.monotonic();
    const before = this.#heartbeats.get(name);
    if (before?.uid !== uid)
      this.#record(
        node,
        "RegisteredNode",
        `Node ${name} event: Registered Node ${name} in Controller`,
      );
    const at = before?.uid === uid && before.value === value ? before.at : now;
    this.#heartbeats.set(name, { uid, value, at });
    return at + graceMs(node) - now;
  }

  async #markUnknown(node: Node, conditions: readonly object[]): Promise<void> {
    const { name, uid, resourceVersion } = node.metadata;
    const wasReady = readyStatus(node.status.conditions ?? []) === "True";
    await this.context.client.patch(
      Node,
      name,
      { type: "strategic", body: { metadata: { uid, resourceVersion }, status: { conditions } } },
      { subresource: "status" },
    );
    if (!wasReady) return;
    this.#record(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    for (const pod of this.#pods.byIndex("node", name)) await this.#markPod(pod);
  }

  async #markPod(pod: Pod): Promise<void> {
    const ready = readyCondition(pod);
    if (!ready) return;
    const { name, namespace, uid } = pod.metadata;
    const condition = { ...ready, status: "False", lastTransitionTime: formatTime(this.#now()) };
    try {
      await this.context.client.patch(
        Pod,
        { name, namespace },
        { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
        { subresource: "status" },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return;
    }
    eventsAbout(this.#recorder, Pod, pod).warning("NodeNotReady", "Node is not ready");
  }

  async #processTaints(node: Node): Promise<void> {
    const taints = nextTaints(node, {
      now: this.#now(),
      eviction: evictionByZone(this.#nodes.list())(node),
    });
    const labels = nextLabels(node);
    if (!taints && !labels) return;
    const { name, resourceVersion } = node.metadata;
    const body = {
      metadata: { resourceVersion, ...(labels ? { labels } : {}) },
      ...(taints ? { spec: { taints: taints.length > 0 ? taints : null } } : {}),
    };
    await this.context.client.patch(Node, name, { type: "merge", body });
  }

  #record({ metadata }: Node, reason: string, message: string): void {
    const regarding = { apiVersion: "v1", kind: "Node", name: metadata.name, uid: metadata.uid };
    this.#recorder.record({ regarding, type: "Normal", reason, note: message });
  }

  #now(): number {
    return this.context.runtime.clock.now();
  }
}
