// Lets pods live though nothing runs them: plays scheduler and kubelet for every node there is, and makes one where there is
// none. Not part of kube-controller-manager, so that only its name switches it on. What happens when is data (pod-stages.ts).
// Upstream: k8s.io/kubernetes/pkg/{scheduler,kubelet}, as far as others can see them.
import { isConflict, isNotFound, type JsonObject, parseObjectKey } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { createSimulatorEventRecorder, eventObject, type SimulatorEventRecorder } from "../event-recorder.ts";
import { KeyedController } from "../keyed-controller.ts";
import { nodeIndex } from "../node-fit.ts";
import { isPodFinished } from "../pod-state.ts";
import type { RunningSimulator, Simulator, SimulatorContext } from "../simulator.ts";
import { formatSeconds, type Node, nodeKind, type Pod, podKind, type WorkloadKind } from "../workload-objects.ts";
import { defaultNode, isNodeReady, nodeManifest, nodeStatus, nodeTaints } from "./fake-node.ts";
import { placePod } from "./place-pod.ts";
import { nextStage, type PodStage } from "./pod-stages.ts";

/** Starts the life of pods, e.g. by `--controllers all,pod-lifecycle`. */
export const startPodLifecycle: Simulator["start"] = async (context) => new PodLifecycle(context);

class PodLifecycle implements RunningSimulator {
  readonly #context: SimulatorContext;
  readonly #pods: Informer<WorkloadKind<Pod>>;
  readonly #nodes: Informer<WorkloadKind<Node>>;
  readonly #forPods: KeyedController;
  readonly #forNodes: KeyedController;
  readonly #scheduler: Client;
  readonly #kubelet: Client;
  readonly #recorder: SimulatorEventRecorder;
  /** When the stage begins that a pod waits for, by uid; on the monotonic clock. */
  readonly #due = new Map<string, { readonly stage: string; readonly restarts: string; readonly at: number }>();
  #addresses = 0;

  constructor(context: SimulatorContext) {
    const { client, runtime } = context;
    this.#context = context;
    this.#scheduler = client.with({ userAgent: "kube-scheduler/v1.36.3" });
    this.#kubelet = client.with({ userAgent: "kubelet/v1.36.3" });
    this.#recorder = createSimulatorEventRecorder(this.#scheduler, runtime, "default-scheduler");
    this.#forPods = new KeyedController(context, "the life of pods");
    this.#forNodes = new KeyedController(context, "the life of nodes");
    this.#pods = this.#forPods.acquire(podKind);
    this.#nodes = this.#forPods.acquire(nodeKind);
    this.#forNodes.acquire(nodeKind);
    this.#pods.addIndex("node", nodeIndex);
    this.#follow();
    this.#forPods.start((key) => this.#live(key));
    this.#forNodes.start((key) => this.#keepNode(key));
    this.#forNodes.add("");
  }

  async stop(): Promise<void> {
    await Promise.all([this.#forPods.stop(), this.#forNodes.stop()]);
    await this.#recorder.close();
  }

  #follow(): void {
    const wake = ({ key }: CachedObject): void => this.#forPods.add(key);
    this.#forPods.follow(this.#pods, { added: wake, updated: (_, pod) => wake(pod), deleted: ({ uid }) => void this.#due.delete(uid) });
    const node = ({ key }: CachedObject): void => {
      this.#forNodes.add(key);
      for (const name of ["", key]) for (const pod of this.#pods.entriesByIndex("node", name)) wake(pod);
    };
    this.#forNodes.follow(this.#nodes, { added: node, updated: (_, object) => node(object) });
  }

  /** One node, or with "" the question whether there is any. */
  async #keepNode(name: string): Promise<undefined> {
    const { client, runtime } = this.#context;
    if (name === "") {
      if (this.#nodes.entries().length === 0) await this.#kubelet.create(nodeKind, nodeManifest(defaultNode));
      return;
    }
    const node = this.#nodes.get({ name });
    if (!node) return;
    const { uid, resourceVersion } = node.metadata;
    const status = nodeStatus(node, { hostIp: this.#hostIp(name), now: runtime.clock.now() });
    if (status) await this.#kubelet.patch(nodeKind, name, { type: "strategic", body: { metadata: { uid }, status } }, { subresource: "status" });
    const taints = nodeTaints(node);
    if (taints) await client.patch(nodeKind, name, { type: "merge", body: { metadata: { uid, ...(status ? {} : { resourceVersion }) }, spec: { taints } } });
  }

  async #live(key: string): Promise<number | undefined> {
    const pod = this.#pods.get(parseObjectKey(key));
    if (!pod) return undefined;
    const { nodeName } = pod.spec;
    const node = nodeName === undefined ? undefined : this.#nodes.get({ name: nodeName });
    try {
      if (nodeName === undefined) await this.#schedule(pod);
      else if (node) return await this.#advance(pod, node);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    return undefined;
  }

  /** Binds a pod that has no node, or says why it has none. */
  async #schedule(pod: Pod): Promise<void> {
    const { metadata, spec, status } = pod;
    const { name, namespace = "", uid } = metadata;
    if (metadata.deletionTimestamp !== undefined || isPodFinished(pod) || spec.schedulingGates?.length || (spec.schedulerName ?? "default-scheduler") !== "default-scheduler") return;
    const placed = placePod(pod, this.#nodes.list(), (node) => this.#pods.entriesByIndex("node", node).length);
    if ("node" in placed) {
      const body = { apiVersion: "v1", kind: "Binding", metadata: { name, namespace, uid }, target: { kind: "Node", name: placed.node } };
      await this.#scheduler.request({ method: "POST", path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`, body: body as JsonObject });
      return this.#tell(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${placed.node}`);
    }
    const before = status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.status === "False" && before.message === placed.message) return;
    const condition = { type: "PodScheduled", status: "False", reason: "Unschedulable", message: placed.message, lastTransitionTime: formatSeconds(this.#context.runtime.clock.now()) };
    await this.#scheduler.patch(podKind, { name, namespace }, { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } }, { subresource: "status" });
    this.#tell(pod, "Warning", "FailedScheduling", placed.message);
  }

  /** Takes the next step that is due; resolves to the time until the one that is not. */
  async #advance(pod: Pod, node: Node): Promise<number | undefined> {
    const stage = nextStage(pod, isNodeReady(node));
    if (!stage) return undefined;
    const waitMs = this.#untilDue(pod, stage);
    if (waitMs > 0) return waitMs;
    const { name, namespace, uid, deletionGracePeriodSeconds } = pod.metadata as Pod["metadata"] & { readonly deletionGracePeriodSeconds?: number };
    if (stage.status) {
      const world = { now: this.#context.runtime.clock.now(), hostIp: this.#hostIp(node.metadata.name), podIp: () => this.#podIp(pod), nodeReady: isNodeReady(node) };
      await this.#kubelet.patch(podKind, { name, namespace }, { type: "strategic", body: { metadata: { uid }, status: stage.status(pod, world) } }, { subresource: "status" });
    } else if (deletionGracePeriodSeconds !== 0) await this.#kubelet.delete(podKind, { name, namespace }, { gracePeriodSeconds: 0, preconditions: { uid } });
    return undefined;
  }

  #untilDue(pod: Pod, stage: PodStage): number {
    const { uid } = pod.metadata;
    const afterMs = stage.afterMs(pod);
    const now = this.#context.runtime.clock.monotonic();
    const restarts = String(pod.status?.containerStatuses?.map(({ restartCount }) => restartCount));
    const waiting = this.#due.get(uid);
    const at = waiting?.stage === stage.name && waiting.restarts === restarts ? waiting.at : now + afterMs;
    if (at <= now) this.#due.delete(uid);
    else this.#due.set(uid, { stage: stage.name, restarts, at });
    return at - now;
  }

  #hostIp(node: string): string {
    const at =
      this.#nodes
        .list()
        .map(({ metadata }) => metadata.name)
        .toSorted()
        .indexOf(node) + 1;
    return `192.168.${at >> 8}.${at & 255}`;
  }

  /** A pod's own address, or the next one that no pod has. */
  #podIp({ status }: Pod): string {
    const own = status?.["podIP"];
    if (typeof own === "string" && own !== "") return own;
    if (this.#addresses === 0) this.#addresses = Math.max(0, ...this.#pods.list().map((pod) => numberOf(pod.status?.["podIP"])));
    this.#addresses = (this.#addresses % 0xfffd) + 1;
    return `10.244.${this.#addresses >> 8}.${this.#addresses & 255}`;
  }

  #tell(pod: Pod, type: "Normal" | "Warning", reason: string, message: string): void {
    this.#recorder.record({ object: eventObject(podKind, pod), type, reason, message });
  }
}

/** The last two numbers of a pod's address; 0 where it has none of ours. */
function numberOf(address: unknown): number {
  const [, high, low] = typeof address === "string" ? (/^10\.244\.(\d+)\.(\d+)$/.exec(address) ?? []) : [];
  return Number(high ?? 0) * 256 + Number(low ?? 0);
}
