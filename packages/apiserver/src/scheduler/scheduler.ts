// Simulates kube-scheduler: binds pods to nodes one at a time, highest priority first, and records
// why a pod is unschedulable. Ignores pods of other schedulers and pods with scheduling gates. Does
// not preempt.
// Upstream: k8s.io/kubernetes/pkg/scheduler (schedule_one.go, scheduler.go).
import { isConflict, isNotFound, type JsonObject, parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { eventsAbout } from "../component-helpers/controller/events-about.ts";
import { KeyedController } from "../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../component-helpers/nodes/node-fit.ts";
import { isPodFinished } from "../component-helpers/workloads/pod-state.ts";
import type { Start, ControllerContext } from "../component-helpers/controller/controller.ts";
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
import type { Snapshot } from "./snapshot.ts";
import { schedulePod, preFilterMessage } from "./schedule-pod.ts";
import { sumRequests } from "./resource-fit.ts";
import { type Storage, preFilterVolumes } from "./volume-binding.ts";

const userAgent = `kube-scheduler/${kubernetesVersion}`;

/** Starts the scheduler. */
export const start: Start = async (context) => new Scheduler(context);

class Scheduler extends KeyedController {
  readonly #client = this.context.client.with({ userAgent });
  readonly #recorder = this.createRecorder("default-scheduler", this.#client);
  readonly #pods = this.acquire(Pod, { node: nodeIndex });
  readonly #nodes = this.acquire(Node);
  readonly #namespaces = this.acquire(Namespace);
  readonly #storage: Storage;
  /** Keys of pods that are new or changed since the last scheduling attempt. */
  readonly #fresh = new Set<string>();
  /** Whether a change may make any pod schedulable. */
  #all = true;
  /** Assumed pods by key, until the cache shows their node or they are deleted. */
  readonly #assumed = new Map<
    string,
    { readonly uid: string; readonly node: string; bound: boolean }
  >();

  /** Requests by cached pod. Cached objects are immutable. */
  readonly #requests = new WeakMap<Pod, ReadonlyMap<string, bigint>>();

  constructor(context: ControllerContext) {
    super(context, "the scheduler");
    this.#storage = this.#watchStorage();
    this.#follow();
    this.start(() => this.#scheduleAll());
  }

  #watchStorage(): Storage {
    const [claims, volumes, classes] = [
      this.#acquireRetrying(PersistentVolumeClaim),
      this.#acquireRetrying(PersistentVolume),
      this.#acquireRetrying(StorageClass),
    ];
    return {
      claim: (namespace, name) => claims.get({ namespace, name }),
      volume: (name) => volumes.get({ name }),
      volumes: () => volumes.list(),
      storageClass: (name) => classes.get({ name }),
    };
  }

  /** An informer of a kind whose changes may make any pod schedulable. */
  #acquireRetrying<O extends ApiObject>(kind: Kind<O>): Informer<Kind<O>> {
    const informer = this.acquire(kind);
    const retry = (): void => this.#retryAll();
    this.follow(informer, { added: retry, updated: retry, deleted: retry });
    return informer;
  }

  #follow(): void {
    const fresh = ({ key }: CachedObject): void => {
      this.#fresh.add(key);
      this.add("");
    };
    this.follow(this.#pods, {
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
    const retry = (): void => this.#retryAll();
    this.follow(this.#nodes, {
      added: retry,
      deleted: retry,
      updated: (old, node) =>
        schedulingFields(old.read() as Node) !== schedulingFields(node.read() as Node) && retry(),
    });
  }

  #retryAll(): void {
    this.#all = true;
    this.add("");
  }

  /** Schedules every pod that may fit now. */
  async #scheduleAll(): Promise<undefined> {
    const waiting = this.#all
      ? this.#pods.entriesByIndex("node", "").map(({ key }) => key)
      : [...this.#fresh];
    this.#all = false;
    this.#fresh.clear();
    const pods = waiting
      .map((key) => this.#pods.get(parseObjectKey(key)))
      .filter((pod) => pod !== undefined);
    for (const pod of pods.filter(isSchedulable).toSorted(byPriority)) {
      if (this.signal.aborted) return undefined;
      try {
        await this.#schedule(pod);
      } catch (error) {
        this.#assumed.delete(keyFor(pod));
        if (!isNotFound(error) && !isConflict(error)) this.#retryLater(pod, error);
      }
    }
    return undefined;
  }

  #retryLater(pod: Pod, error: unknown): void {
    this.context.warn(`scheduling pod ${keyFor(pod)} failed: ${reasonOf(error)}`, error);
    this.#fresh.add(keyFor(pod));
    this.add("", 1000);
  }

  async #schedule(pod: Pod): Promise<void> {
    const key = keyFor(pod);
    const assumed = this.#assumed.get(key);
    if (assumed && assumed.uid !== pod.metadata.uid) this.#assumed.delete(key);
    const snapshot = this.#snapshot();
    const volumes = preFilterVolumes(pod, this.#storage);
    if ("blocked" in volumes)
      return await this.#markUnschedulable(
        pod,
        snapshot.nodes.length === 0
          ? "no nodes available to schedule pods"
          : preFilterMessage(pod, volumes.blocked, snapshot),
      );
    const current = this.#assumed.get(key);
    if (current)
      return volumes.unbound.length > 0 || current.bound
        ? undefined
        : await this.#bind(pod, current.node);
    const result = schedulePod(pod, snapshot, volumes.filters);
    if ("message" in result) return await this.#markUnschedulable(pod, result.message);
    this.#assumed.set(key, { uid: pod.metadata.uid, node: result.node, bound: false });
    for (const claim of volumes.unbound) await this.#selectNode(claim, result.node);
    if (volumes.unbound.length === 0) await this.#bind(pod, result.node);
  }

  /** The nodes with their bound and assumed pods. */
  #snapshot(): Snapshot {
    const assumed = new Map<string, Pod[]>();
    for (const [key, { node }] of this.#assumed) {
      const pod = this.#pods.get(parseObjectKey(key));
      if (!pod || pod.spec.nodeName !== undefined) continue;
      assumed.set(node, [...(assumed.get(node) ?? []), pod]);
    }
    const podsOn = (node: string): readonly Pod[] => {
      const bound = this.#pods.byIndex("node", node).filter((pod) => !isPodFinished(pod));
      return [...bound, ...(assumed.get(node) ?? [])];
    };
    return {
      nodes: this.#nodes.list(),
      podsOn: memoized(podsOn),
      requestsOf: (pod) => this.#requestsOf(pod),
      namespaceLabels: (name) => this.#namespaces.get({ name })?.metadata.labels ?? {},
    };
  }

  #requestsOf(pod: Pod): ReadonlyMap<string, bigint> {
    const before = this.#requests.get(pod);
    if (before) return before;
    const sum = sumRequests(pod);
    this.#requests.set(pod, sum);
    return sum;
  }

  /** Annotates the claim with its node. The provisioner waits for that. */
  async #selectNode({ metadata }: PersistentVolumeClaim, node: string): Promise<void> {
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
    eventsAbout(this.#recorder, Pod, pod).normal(
      "Scheduled",
      `Successfully assigned ${namespace}/${name} to ${node}`,
    );
  }

  async #markUnschedulable(pod: Pod, message: string): Promise<void> {
    const { name, namespace, uid, generation } = pod.metadata;
    const before = pod.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (before?.status === "False" && before.message === message) return;
    const since =
      before?.status === "False"
        ? before.lastTransitionTime
        : formatTime(this.context.runtime.clock.now());
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
    eventsAbout(this.#recorder, Pod, pod).warning("FailedScheduling", message);
  }
}

/** The fields of a node that scheduling depends on. Heartbeats change none of them. */
const schedulingFields = ({ metadata, spec, status }: Node): string =>
  JSON.stringify([metadata.labels, spec?.taints, spec?.unschedulable, status?.allocatable]);

function isSchedulable(pod: Pod): boolean {
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
  compareText(String(a.metadata.creationTimestamp), String(b.metadata.creationTimestamp));

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Computes the pods of each node once. */
function memoized(podsOn: Snapshot["podsOn"]): Snapshot["podsOn"] {
  const seen = new Map<string, readonly Pod[]>();
  return (node) => {
    const before = seen.get(node);
    if (before) return before;
    const pods = podsOn(node);
    seen.set(node, pods);
    return pods;
  };
}
