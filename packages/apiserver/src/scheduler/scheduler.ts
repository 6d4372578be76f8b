// Plays kube-scheduler: binds pods to nodes, in order of priority, one after another; says why
// where none takes them. Pods of other schedulers and gated ones are left alone. Nobody is driven
// away for others.
// Upstream: k8s.io/kubernetes/pkg/scheduler (schedule_one.go, scheduler.go).
import { isConflict, isNotFound, type JsonObject, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { createEventRecorder, objectReference } from "homeostat/events";
import { KeyedController } from "../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../component-helpers/workloads/pod-state.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../component-helpers/controller/controller.ts";
import { selectedNode } from "../component-helpers/storage/volume-binding.ts";
import {
  PersistentVolumeClaim,
  PersistentVolume,
  Node,
  Namespace,
  Pod,
} from "homeostat/k8s/core/v1";
import { StorageClass } from "homeostat/k8s/storage/v1";
import { formatTime } from "../component-helpers/meta/format-time.ts";
import { keyFor, type ApiObject } from "../component-helpers/meta/api-object.ts";
import type { Fleet } from "./fleet.ts";
import { placePod, unaskedMessage } from "./place-pod.ts";
import { sumRequests } from "./resource-fit.ts";
import { type Storage, volumeNeeds } from "./volume-needs.ts";

const userAgent = `kube-scheduler/${kubernetesVersion}`;

/** Starts the scheduler. */
export const startScheduler: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the scheduler");
  const scheduler = new Scheduler(context, controller);
  return controller.start(() => scheduler.pass());
};

class Scheduler {
  readonly #context: ControllerContext;
  readonly #controller: KeyedController;
  readonly #pods: Informer<Kind<Pod>>;
  readonly #nodes: Informer<Kind<Node>>;
  readonly #namespaceLabels: Fleet["namespaceLabels"];
  readonly #storage: Storage;
  readonly #tell: (pod: Pod, type: "Normal" | "Warning", reason: string, message: string) => void;
  readonly #client: ControllerContext["client"];
  /** Keys of pods that are new or have changed since they were looked at. */
  readonly #fresh = new Set<string>();
  /** Whether something has changed that could help any pod. */
  #all = true;
  /** Pods that have been given a node, by key, until the cache shows it or they are gone. */
  readonly #assumed = new Map<
    string,
    { readonly uid: string; readonly node: string; bound: boolean }
  >();

  /** By the object as it is in the cache, which does not change. */
  readonly #requests = new WeakMap<Pod, ReadonlyMap<string, bigint>>();

  constructor(context: ControllerContext, controller: KeyedController) {
    const { client, runtime } = context;
    this.#context = context;
    this.#controller = controller;
    this.#client = client.with({ userAgent });
    const recorder = createEventRecorder({
      client: this.#client,
      runtime,
      controller: "default-scheduler",
      api: "v1",
    });
    controller.onStop(() => recorder.close());
    this.#tell = (pod, type, reason, message) =>
      recorder.record({ regarding: objectReference(Pod, pod), type, reason, note: message });
    this.#pods = controller.acquire(Pod);
    this.#nodes = controller.acquire(Node);
    this.#pods.addIndex("node", nodeIndex);
    const namespaces = controller.acquire(Namespace);
    this.#namespaceLabels = (name) => namespaces.get({ name })?.metadata.labels ?? {};
    this.#storage = this.#watchStorage();
    this.#follow();
  }

  #watchStorage(): Storage {
    const [claims, volumes, classes] = [
      this.#acquireHelp(PersistentVolumeClaim),
      this.#acquireHelp(PersistentVolume),
      this.#acquireHelp(StorageClass),
    ];
    return {
      claim: (namespace, name) => claims.get({ namespace, name }),
      volume: (name) => volumes.get({ name }),
      volumes: () => volumes.list(),
      storageClass: (name) => classes.get({ name }),
    };
  }

  /** An informer of what could help pods whenever it changes. */
  #acquireHelp<O extends ApiObject>(kind: Kind<O>): Informer<Kind<O>> {
    const informer = this.#controller.acquire(kind);
    const help = (): void => this.#retryAll();
    this.#controller.follow(informer, { added: help, updated: help, deleted: help });
    return informer;
  }

  #follow(): void {
    const fresh = ({ key }: CachedObject): void => {
      this.#fresh.add(key);
      this.#controller.add("");
    };
    this.#controller.follow(this.#pods, {
      added: fresh,
      updated: (old, pod) => {
        fresh(pod);
        const [before, now] = [old.read() as Pod, pod.read() as Pod];
        if (now.spec.nodeName) this.#assumed.delete(pod.key);
        if (
          (isPodFinished(now) && !isPodFinished(before)) ||
          JSON.stringify(before.metadata.labels) !== JSON.stringify(now.metadata.labels)
        )
          this.#retryAll();
      },
      deleted: ({ key }) => {
        this.#assumed.delete(key);
        this.#retryAll();
      },
    });
    const help = (): void => this.#retryAll();
    this.#controller.follow(this.#nodes, {
      added: help,
      deleted: help,
      updated: (old, node) =>
        concernsPods(old.read() as Node) !== concernsPods(node.read() as Node) && help(),
    });
  }

  #retryAll(): void {
    this.#all = true;
    this.#controller.add("");
  }

  /** Looks at every pod that may have a chance now. */
  async pass(): Promise<undefined> {
    const waiting = this.#all
      ? this.#pods.entriesByIndex("node", "").map(({ key }) => key)
      : [...this.#fresh];
    this.#all = false;
    this.#fresh.clear();
    const pods = waiting
      .map((key) => this.#pods.get(parseObjectKey(key)))
      .filter((pod) => pod !== undefined);
    for (const pod of pods.filter(isOurs).toSorted(byPriority)) {
      if (this.#controller.signal.aborted) return undefined;
      try {
        await this.#schedule(pod);
      } catch (error) {
        this.#assumed.delete(keyFor(pod));
        if (!isNotFound(error) && !isConflict(error)) this.#again(pod, error);
      }
    }
    return undefined;
  }

  #again(pod: Pod, error: unknown): void {
    this.#context.warn(`scheduling pod ${keyFor(pod)} failed`, error);
    this.#fresh.add(keyFor(pod));
    this.#controller.add("", 1000);
  }

  async #schedule(pod: Pod): Promise<void> {
    const key = keyFor(pod);
    const assumed = this.#assumed.get(key);
    if (assumed && assumed.uid !== pod.metadata.uid) this.#assumed.delete(key);
    const fleet = this.#fleet();
    const needs = volumeNeeds(pod, this.#storage);
    if ("blocked" in needs)
      return await this.#refuse(
        pod,
        fleet.nodes.length === 0
          ? "no nodes available to schedule pods"
          : unaskedMessage(pod, needs.blocked, fleet),
      );
    const kept = this.#assumed.get(key);
    if (kept)
      return needs.unbound.length > 0 || kept.bound ? undefined : await this.#bind(pod, kept.node);
    const placed = placePod(pod, fleet, needs.filters);
    if ("message" in placed) return await this.#refuse(pod, placed.message);
    this.#assumed.set(key, { uid: pod.metadata.uid, node: placed.node, bound: false });
    for (const claim of needs.unbound) await this.#select(claim, placed.node);
    if (needs.unbound.length === 0) await this.#bind(pod, placed.node);
  }

  /** Nodes, with the pods that are bound and those that are about to be. */
  #fleet(): Fleet {
    const coming = new Map<string, Pod[]>();
    for (const [key, { node }] of this.#assumed) {
      const pod = this.#pods.get(parseObjectKey(key));
      if (!pod || pod.spec.nodeName !== undefined) continue;
      coming.set(node, [...(coming.get(node) ?? []), pod]);
    }
    const podsOn = (node: string): readonly Pod[] => {
      const there = this.#pods.byIndex("node", node).filter((pod) => !isPodFinished(pod));
      return [...there, ...(coming.get(node) ?? [])];
    };
    return {
      nodes: this.#nodes.list(),
      podsOn: remembered(podsOn),
      requestsOf: (pod) => this.#requestsOf(pod),
      namespaceLabels: this.#namespaceLabels,
    };
  }

  #requestsOf(pod: Pod): ReadonlyMap<string, bigint> {
    const before = this.#requests.get(pod);
    if (before) return before;
    const sum = sumRequests(pod);
    this.#requests.set(pod, sum);
    return sum;
  }

  /** Tells whoever makes volumes for which node the claim is. */
  async #select({ metadata }: PersistentVolumeClaim, node: string): Promise<void> {
    if (metadata.annotations?.[selectedNode] !== undefined) return;
    const { name, namespace } = metadata;
    await this.#client.patch(
      PersistentVolumeClaim,
      { name, namespace },
      { type: "merge", body: { metadata: { annotations: { [selectedNode]: node } } } },
    );
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { name, namespace = "", uid } = pod.metadata;
    const body = {
      apiVersion: "v1",
      kind: "Binding",
      metadata: { name, namespace, uid },
      target: { kind: "Node", name: node },
    };
    await this.#client.request({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/pods/${name}/binding`,
      body: body as JsonObject,
    });
    const assumed = this.#assumed.get(keyFor(pod));
    if (assumed) assumed.bound = true;
    this.#tell(pod, "Normal", "Scheduled", `Successfully assigned ${namespace}/${name} to ${node}`);
  }

  async #refuse(pod: Pod, message: string): Promise<void> {
    const { name, namespace, uid, generation } = pod.metadata;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.status === "False" && before.message === message) return;
    const since =
      before?.status === "False"
        ? before.lastTransitionTime
        : formatTime(this.#context.runtime.clock.now());
    const condition = {
      type: "PodScheduled",
      ...(generation ? { observedGeneration: generation } : {}),
      status: "False",
      reason: "Unschedulable",
      message,
      lastProbeTime: null,
      lastTransitionTime: since,
    };
    await this.#client.patch(
      Pod,
      { name, namespace },
      { type: "strategic", body: { metadata: { uid }, status: { conditions: [condition] } } },
      { subresource: "status" },
    );
    this.#tell(pod, "Warning", "FailedScheduling", message);
  }
}

/** What of a node pods look at: not its heartbeats. */
const concernsPods = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([metadata.labels, spec?.taints, spec?.unschedulable, status?.["allocatable"]]);

function isOurs(pod: Pod): boolean {
  const { metadata, spec } = pod;
  return (
    !spec.nodeName &&
    metadata.deletionTimestamp === undefined &&
    !isPodFinished(pod) &&
    !spec.schedulingGates?.length &&
    (spec.schedulerName ?? "default-scheduler") === "default-scheduler"
  );
}

const byPriority = (a: Pod, b: Pod): number =>
  (b.spec.priority ?? 0) - (a.spec.priority ?? 0) ||
  (String(a.metadata.creationTimestamp) < String(b.metadata.creationTimestamp)
    ? -1
    : a.metadata.creationTimestamp === b.metadata.creationTimestamp
      ? 0
      : 1);

/** Asks once for each node. */
function remembered(look: Fleet["podsOn"]): Fleet["podsOn"] {
  const seen = new Map<string, readonly Pod[]>();
  return (node) => {
    const before = seen.get(node);
    if (before) return before;
    const pods = look(node);
    seen.set(node, pods);
    return pods;
  };
}
