// Evicts pods from nodes with NoExecute taints: pods without a toleration at once, others when
// their toleration ends. Sets the condition DisruptionTarget first, and deletes each pod once.
// Upstream: k8s.io/kubernetes/pkg/controller/tainteviction/taint_eviction.go.
import { isNotFound, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import type { EventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import type { Start, ControllerContext } from "../../component-helpers/controller/controller.ts";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";
import { evictionDelayMs } from "./eviction-delay.ts";

const component = "taint-eviction-controller";
const target = {
  type: "DisruptionTarget",
  status: "True",
  reason: "DeletionByTaintManager",
  message: "Taint manager: deleting due to NoExecute taint",
} as const;

/** A planned eviction. */
interface Eviction {
  readonly uid: string;
  /**
   * On the monotonic clock. A planned time is kept, whatever taints and tolerations change in
   * between.
   */
  readonly at: number;
  readonly done: boolean;
}

/** Starts `taint-eviction-controller`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(context, "the taint-eviction controller");
  const recorder = controller.createRecorder(component);
  const pods = controller.acquire(Pod, { node: nodeIndex });
  const nodes = controller.acquire(Node);
  const evictions = new TaintEvictionController(context, { pods, nodes }, recorder);
  const enqueue = ({ key }: CachedObject): void => controller.add(key);
  const enqueueAll = ({ key }: CachedObject<Node>): void =>
    pods.entriesByIndex("node", key).forEach(enqueue);
  controller.followKeys(pods);
  controller.follow(nodes, {
    added: enqueueAll,
    updated(old, node) {
      if (noExecute(old.read()) !== noExecute(node.read())) enqueueAll(node);
    },
  });
  return controller.start((key) => evictions.sync(key));
};

const noExecute = ({ spec }: Node): string =>
  JSON.stringify(spec.taints?.filter(({ effect }) => effect === "NoExecute") ?? []);

class TaintEvictionController {
  readonly #context: ControllerContext;
  readonly #pods: Informer<Kind<Pod>>;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #recorder: EventRecorder;
  /** By the key of the pod. */
  readonly #planned = new Map<string, Eviction>();

  constructor(
    context: ControllerContext,
    { pods, nodes }: { readonly pods: Informer<Kind<Pod>>; readonly nodes: Informer<Kind<Node>> },
    recorder: EventRecorder,
  ) {
    this.#context = context;
    this.#pods = pods;
    this.#nodes = nodes;
    this.#recorder = recorder;
  }

  /** Evicts a pod whose time is up; resolves to the milliseconds left otherwise. */
  async sync(key: string): Promise<number | undefined> {
    const pod = this.#pods.get(parseObjectKey(key));
    const node =
      pod?.spec.nodeName === undefined ? undefined : this.#nodes.get({ name: pod.spec.nodeName });
    const delayMs =
      pod && node ? evictionDelayMs(node.spec.taints ?? [], pod.spec.tolerations ?? []) : undefined;
    if (!pod || delayMs === undefined || this.#planned.get(key)?.uid !== pod.metadata.uid)
      this.#cancel(key);
    if (!pod || delayMs === undefined) return undefined;
    const { uid } = pod.metadata;
    const planned = this.#planned.get(key);
    if (planned?.done) return undefined;
    const now = this.#context.runtime.clock.monotonic();
    const at = delayMs === 0 ? now : (planned?.at ?? now + delayMs);
    if (at > now) {
      this.#planned.set(key, { uid, at, done: false });
      return at - now;
    }
    if (delayMs === 0) this.#cancel(key);
    this.#record(key, `Marking for deletion Pod ${key}`);
    await this.#evict(pod);
    this.#planned.set(key, { uid, at, done: true });
    return undefined;
  }

  /** Cancels a planned eviction, with an event if it has not happened. */
  #cancel(key: string): void {
    const planned = this.#planned.get(key);
    this.#planned.delete(key);
    if (planned && !planned.done) this.#record(key, `Cancelling deletion of Pod ${key}`);
  }

  async #evict(pod: Pod): Promise<void> {
    const { client, runtime } = this.#context;
    const { name, namespace, uid, generation } = pod.metadata;
    const before = pod.status.conditions?.find(({ type }) => type === target.type);
    const condition = {
      ...target,
      ...(generation ? { observedGeneration: generation } : {}),
      lastTransitionTime: formatTime(runtime.clock.now()),
    };
    try {
      if (before?.reason !== target.reason || before.status !== target.status) {
        await client.patch(
          Pod,
          { name, namespace },
          { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
          { subresource: "status" },
        );
      }
      await client.delete(Pod, { name, namespace });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #record(key: string, message: string): void {
    const { name, namespace = "" } = parseObjectKey(key);
    this.#recorder.record({
      regarding: { apiVersion: "v1", kind: "Pod", namespace, name, uid: "" },
      type: "Normal",
      reason: "TaintManagerEviction",
      note: message,
    });
  }
}
