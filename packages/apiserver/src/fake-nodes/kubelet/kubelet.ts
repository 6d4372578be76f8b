// Plays a kubelet on every node: speaks for the node, and lets its pods live, though nothing runs
// them. What happens when is data (pod-stages.ts), to which users add stages of their own.
// Upstream: k8s.io/kubernetes/pkg/kubelet, as far as others can see it.
import type { CachedObject, Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { kubernetesVersion } from "../../apimachinery/kubernetes-version.ts";
import { createEventRecorder, type EventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import type {
  RunningController,
  ControllerDescriptor,
} from "../../component-helpers/controller/controller.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";
import type { StageWorld } from "../stages/stage-functions.ts";
import { StagePlayer } from "../stages/stage-player.ts";
import type { Kind } from "homeostat/api";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { addressOf, conditionsOf, freeAddress, moodOf } from "./fake-node.ts";
import { NodeKeeper } from "./node-keeper.ts";
import { fateAnnotation, podStages } from "./pod-stages.ts";
import { podStatusAfter } from "./pod-status.ts";

/** Starts the kubelets. */
export const startKubelet: ControllerDescriptor<FakeNodesContext>["start"] = async (context) => {
  const client = context.client.with({ userAgent: `kubelet/${kubernetesVersion}` });
  const recorder = createEventRecorder({
    client,
    runtime: context.runtime,
    controller: "kubelet",
    api: "v1",
  });
  const parts: readonly RunningController[] = [
    new NodeKeeper(context, client),
    new PodKeeper(context, client, recorder),
  ];
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await recorder.close();
    },
  };
};

/** Lets pods live. */
class PodKeeper extends KeyedController {
  readonly #pods: Informer<Kind<Pod>>;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #context: FakeNodesContext;
  /** Addresses that have been given out and are not in the cache yet, by uid of the pod. */
  readonly #given = new Map<string, string>();

  constructor(context: FakeNodesContext, client: Client, recorder: EventRecorder) {
    super(context, "the life of pods");
    this.#context = context;
    this.#pods = this.acquire(Pod);
    this.#nodes = this.acquire(Node);
    this.#pods.addIndex("node", nodeIndex);
    const given = context.stages.filter(
      ({ for: { apiVersion, kind } }) => apiVersion === "v1" && kind === "Pod",
    );
    const player = new StagePlayer<Pod>(
      {
        kind: Pod,
        informer: this.#pods,
        given,
        builtIn: given.some(({ replacesBuiltIn }) => replacesBuiltIn) ? [] : podStages,
        worldOf: (pod) => this.#worldOf(pod),
        statusAfter: (pod, action, world) =>
          podStatusAfter(pod, action, {
            ...world,
            hostIp: world.nodeIp(world.nodeName),
            ready: this.#isReady(pod),
          }),
        statusType: "strategic",
      },
      { client, runtime: context.runtime, recorder },
    );
    const wake = ({ key }: CachedObject): void => this.add(key);
    this.follow(this.#pods, {
      added: wake,
      updated: (_, pod) => wake(pod),
      deleted: ({ uid }) => {
        player.forget(uid);
        this.#given.delete(uid);
      },
    });
    const wakePods = (node: CachedObject): void =>
      this.#pods.entriesByIndex("node", node.key).forEach(wake);
    this.follow(this.#nodes, {
      added: wakePods,
      updated: (old, node) =>
        concernsPods(old.read() as Node) !== concernsPods(node.read() as Node) && wakePods(node),
    });
    this.start((key) => player.look(key));
  }

  /** Pods of nodes that are silent, or somebody else's, are left alone. */
  #worldOf(pod: Pod): StageWorld | undefined {
    const node =
      pod.spec.nodeName === undefined ? undefined : this.#nodes.get({ name: pod.spec.nodeName });
    const isKept =
      node && addressOf(node) !== undefined && ["ready", "not ready"].includes(moodOf(node));
    if (!isKept) return undefined;
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
      moodOf(node) === "ready" &&
      metadata.annotations?.[fateAnnotation] !== "unready"
    );
  }

  /** A pod's own address, or the first on its node that no other pod has. */
  #podIp(pod: Pod, node: Node): string {
    const own = pod.status?.["podIP"];
    if (typeof own === "string" && own !== "") return own;
    if (pod.spec.hostNetwork) return addressOf(node) ?? "";
    const { uid } = pod.metadata;
    const others = this.#pods
      .byIndex("node", node.metadata.name)
      .filter((other) => other.metadata.uid !== uid && !isPodFinished(other));
    const taken = new Set(
      others.map(
        (other) =>
          (other.status?.["podIP"] as string | undefined) ||
          (this.#given.get(other.metadata.uid) ?? ""),
      ),
    );
    const before = this.#given.get(uid);
    if (before !== undefined && !taken.has(before)) return before;
    const address = freeAddress(node.spec?.podCIDR ?? "10.244.0.0/16", taken) ?? "";
    this.#given.set(uid, address);
    return address;
  }
}

/** What of a node changes the life of its pods: not its heartbeats. */
const concernsPods = (node: Node): string =>
  JSON.stringify([moodOf(node), addressOf(node), node.spec?.podCIDR]);
