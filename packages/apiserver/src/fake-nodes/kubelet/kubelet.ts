// Simulates a kubelet for every node: reports the status of the node and of its pods. No containers
// run. The lifecycle of pods is data (pod-stages.ts); users can add stages.
// Upstream: k8s.io/kubernetes/pkg/kubelet, as far as the API shows it,
// sigs.k8s.io/kwok/pkg/kwok/controllers/pod_controller.go.
import type { CachedObject, Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import { createEventRecorder, type EventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import type { RunningController, Start } from "../../component-helpers/controller/controller.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";
import type { StageEnvironment } from "../stages/stage-functions.ts";
import { StageController } from "../stages/stage-controller.ts";
import type { Kind } from "homeostat/api";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { createAnnotationCheck } from "./annotation-check.ts";
import { addressOf, conditionsOf, freeAddress, nodeStateOf } from "./fake-node.ts";
import { NodeController } from "./node-controller.ts";
import { fateAnnotation, knownFates, podStages } from "./pod-stages.ts";
import { podStatusAfter } from "./pod-status.ts";

/** Starts the kubelets. */
export const start: Start<FakeNodesContext> = async (context) => {
  const client = context.client.with({ userAgent: `kubelet/${kubernetesVersion}` });
  const recorder = createEventRecorder({
    client,
    runtime: context.runtime,
    controller: "kubelet",
    api: "v1",
  });
  const parts: readonly RunningController[] = [
    new NodeController(context, client),
    new PodController(context, client, recorder),
  ];
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await recorder.close();
    },
  };
};

/** Plays the stages of pods. */
class PodController extends KeyedController {
  readonly #pods: Informer<Kind<Pod>>;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #context: FakeNodesContext;
  /** Allocated addresses that the cache may not show yet, by uid of the pod. */
  readonly #allocated = new Map<string, string>();

  constructor(context: FakeNodesContext, client: Client, recorder: EventRecorder) {
    super(context, "the pod lifecycle");
    this.#context = context;
    this.#pods = this.acquire(Pod, { node: nodeIndex });
    this.#nodes = this.acquire(Node);
    const custom = context.stages.filter(
      ({ for: { apiVersion, kind } }) => apiVersion === "v1" && kind === "Pod",
    );
    const fates = knownFates(custom);
    const checkFate = fates && createAnnotationCheck("pod", fateAnnotation, fates, context);
    const stages = new StageController<Pod>(
      {
        kind: Pod,
        informer: this.#pods,
        custom,
        builtIn: custom.some(({ replacesBuiltIn }) => replacesBuiltIn) ? [] : podStages,
        environmentOf: (pod) => {
          checkFate?.(pod);
          return this.#environmentOf(pod);
        },
        statusAfter: (pod, action, environment) =>
          podStatusAfter(pod, action, {
            ...environment,
            hostIp: environment.nodeIp(environment.nodeName),
            ready: this.#isReady(pod),
          }),
        statusType: "strategic",
      },
      { client, runtime: context.runtime, recorder },
    );
    const enqueue = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#pods, {
      added: enqueue,
      updated: (_, pod) => enqueue(pod),
      deleted: ({ uid }) => {
        stages.forget(uid);
        this.#allocated.delete(uid);
      },
    });
    const enqueuePods = (node: CachedObject): void =>
      this.#pods.entriesByIndex("node", node.key).forEach(enqueue);
    this.follow(this.#nodes, {
      added: enqueuePods,
      updated: (old, node) =>
        podFields(old.read() as Node) !== podFields(node.read() as Node) && enqueuePods(node),
    });
    this.start((key) => stages.sync(key));
  }

  /** Undefined for pods of silent, unknown or unmanaged nodes, whose status nothing reports. */
  #environmentOf(pod: Pod): StageEnvironment | undefined {
    const node =
      pod.spec.nodeName === undefined ? undefined : this.#nodes.get({ name: pod.spec.nodeName });
    const isManaged =
      node && addressOf(node) !== undefined && ["ready", "not ready"].includes(nodeStateOf(node));
    if (!isManaged) return undefined;
    const nodeIp = (name: string): string => addressOf(this.#nodes.get({ name }) ?? node) ?? "";
    return {
      now: this.#context.runtime.clock.now(),
      nodeName: node.metadata.name,
      nodeIp,
      podIp: () => this.#podIp(pod, node),
      nodeConditions: () => conditionsOf("True"),
    };
  }

  #isReady({ metadata, spec }: Pod): boolean {
    const node = this.#nodes.get({ name: spec.nodeName ?? "" });
    return (
      node !== undefined &&
      nodeStateOf(node) === "ready" &&
      metadata.annotations?.[fateAnnotation] !== "unready"
    );
  }

  /** The address of a pod, or the first free one of its node. */
  #podIp(pod: Pod, node: Node): string {
    const own = pod.status?.podIP;
    if (own) return own;
    if (pod.spec.hostNetwork) return addressOf(node) ?? "";
    const { uid } = pod.metadata;
    const others = this.#pods
      .byIndex("node", node.metadata.name)
      .filter((other) => other.metadata.uid !== uid && !isPodFinished(other));
    const taken = new Set(
      others.map((other) => other.status?.podIP || (this.#allocated.get(other.metadata.uid) ?? "")),
    );
    const before = this.#allocated.get(uid);
    if (before !== undefined && !taken.has(before)) return before;
    const address = freeAddress(node.spec?.podCIDR ?? "10.244.0.0/16", taken) ?? "";
    this.#allocated.set(uid, address);
    return address;
  }
}

/** The fields of a node that its pods depend on. Heartbeats change none of them. */
const podFields = (node: Node): string =>
  JSON.stringify([nodeStateOf(node), addressOf(node), node.spec?.podCIDR]);
