// The controller of DaemonSets. Decisions are in pods-on-nodes.ts, rolling-update.ts and
// daemon-status.ts; this file carries them out.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/daemon_controller.go.
import { updateStatus } from "../../component-helpers/controller/update-status.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { controllerOf, type LabelSelector, parseObjectKey, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { ControllerRevision, DaemonSet } from "homeostat/k8s/apps/v1";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { keyFor, type ApiObject } from "../../component-helpers/meta/api-object.ts";
import { deleteRevision } from "../../component-helpers/workloads/revision-history.ts";
import { eventsAbout } from "../../component-helpers/controller/events-about.ts";
import { followDependents } from "../../component-helpers/controller/follow-dependents.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { nodeIndex } from "../../component-helpers/nodes/node-fit.ts";
import { PodControl, slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { availableInMs } from "../../component-helpers/workloads/pod-state.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { findHistory, spentRevisions } from "./daemon-history.ts";
import { daemonPodTemplate, eligibility } from "./daemon-pod.ts";
import { countNodes, saysCounts, withCounts } from "./daemon-status.ts";
import { FailedPods } from "./failed-pods.ts";
import {
  type DaemonState,
  type ManagedPodChanges,
  managePods,
  podsByNode,
} from "./pods-on-nodes.ts";
import { rollingUpdate, type PodChanges } from "./rolling-update.ts";

/** Pods created or deleted in one pass, at most. */
const burst = 250;

/** Starts `daemonset`. */
export const start: Start = async (context) => new DaemonSetController(context);

class DaemonSetController extends KeyedController {
  readonly #recorder = this.createRecorder("daemonset-controller");
  readonly #control = new PodControl(this.context.client, this.#recorder, DaemonSet);
  readonly #failedPods = new FailedPods(this.context.runtime.clock);
  readonly #sets = this.acquire(DaemonSet);
  readonly #pods = this.acquire(Pod, { orphan: orphanIndex, node: nodeIndex });
  readonly #nodes = this.acquire(Node);
  readonly #revisions = this.acquire(ControllerRevision, { orphan: orphanIndex });

  constructor(context: ControllerContext) {
    super(context, "the daemonset controller");
    this.#follow();
    this.start((key) => this.#sync(key));
  }

  #follow(): void {
    this.followKeys(this.#sets);
    const owners = {
      informer: this.#sets,
      selector: ({ spec }: DaemonSet) => toSelector(spec.selector),
    };
    followDependents(this, owners, this.#pods);
    // A revision created by hand is deleted with the next sync, not at once.
    followDependents(this, owners, this.#revisions, { arrivals: "orphans" });
    this.follow(this.#nodes, {
      added: (node) => this.#enqueueFor(node.read()),
      updated: (old, node) =>
        void (isOtherNode(old.read(), node.read()) && this.#enqueueFor(node.read())),
    });
  }

  /** Enqueues the sets that a change of the node affects. */
  #enqueueFor(node: Node): void {
    const on = this.#pods.byIndex("node", node.metadata.name).map(controllerOf);
    for (const set of this.#sets.list()) {
      const may = eligibility(set, node);
      const isOn = on.some((owner) => owner?.uid === set.metadata.uid);
      if (isOn ? may === "go" || (set.status.numberMisscheduled ?? 0) > 0 : may === "run")
        this.add(keyFor(set));
    }
  }

  async #sync(key: string): Promise<number | undefined> {
    const set = this.#sets.get(parseObjectKey(key));
    const selector = set && toSelector(set.spec.selector);
    if (!set || !selector || selector.length === 0 || set.metadata.deletionTimestamp !== undefined)
      return undefined;
    const { client, kindData } = this.context;
    const revisions = await this.#claim(set, selector, this.#revisions);
    const { hash, old } = await findHistory({ client, kindData }, set, {
      revisions,
      pods: () => this.#claim(set, selector, this.#pods),
    });
    const observe = async (): Promise<DaemonState> => {
      const pods = podsByNode(await this.#claim(set, selector, this.#pods), "living");
      return { set, nodes: this.#nodes.list(), pods, hash, now: this.context.runtime.clock.now() };
    };
    const failed = await this.#manage(observe).then(
      async (heldMs) => {
        const pods = [
          ...podsByNode(await this.#claim(set, selector, this.#pods), "all").values(),
        ].flat();
        for (const one of spentRevisions(set, old, pods)) await deleteRevision(client, one);
        return { heldMs };
      },
      (error: unknown) => ({ error }),
    );
    const nextMs = await this.#writeStatus(await observe());
    if ("error" in failed) throw failed.error;
    return failed.heldMs === undefined ? nextMs : Math.min(failed.heldMs, nextMs ?? failed.heldMs);
  }

  /** The objects of the set, after adoption and release. */
  #claim<O extends ApiObject>(
    set: DaemonSet,
    selector: LabelSelector,
    informer: Informer<Kind<O>>,
  ): Promise<readonly O[]> {
    const { client } = this.context;
    return claimDependents({ client, kind: DaemonSet, owner: set, selector }, informer);
  }

  /**
   * Creates and deletes pods; rolls out if there was nothing else to do. Resolves to the
   * milliseconds until held back failed pods may be deleted.
   */
  async #manage(observe: () => Promise<DaemonState>): Promise<number | undefined> {
    const first = await observe();
    const { set, hash } = first;
    let heldMs: number | undefined;
    const work = managePods(first, (node) => {
      const waitMs = this.#failedPods.next(set, node);
      if (waitMs > 0) heldMs = Math.min(waitMs, heldMs ?? waitMs);
      return waitMs > 0;
    });
    this.#recordFinished(set, work);
    const didSomething = await this.#syncNodes(set, work, hash);
    if (!didSomething && set.spec.updateStrategy?.type === "RollingUpdate")
      await this.#syncNodes(set, rollingUpdate(await observe()), hash);
    return heldMs;
  }

  async #syncNodes(set: DaemonSet, work: PodChanges, hash: string): Promise<boolean> {
    const nodes = work.create.slice(0, burst);
    const surplus = work.delete.slice(0, burst);
    const left = nodes.values();
    const made = slowStart(nodes.length, async () =>
      this.#control.create(set, daemonPodTemplate(set, { node: left.next().value!, hash })),
    );
    const [creation] = await Promise.allSettled([made]);
    const deletions = await Promise.allSettled(
      surplus.map((pod) => this.#control.delete(set, pod)),
    );
    for (const one of [creation, ...deletions]) if (one.status === "rejected") throw one.reason;
    return nodes.length + surplus.length > 0;
  }

  #recordFinished(set: DaemonSet, { finished }: ManagedPodChanges): void {
    const events = eventsAbout(this.#recorder, DaemonSet, set);
    for (const { node, pod } of finished) {
      const found = (how: string): string =>
        `Found ${how} daemon pod ${keyFor(pod)} on node ${node}, will try to`;
      if (pod.status.phase === "Failed")
        events.warning("FailedDaemonPod", `${found("failed")} kill it`);
      else events.normal("SucceededDaemonPod", `${found("succeeded")} delete it`);
    }
  }

  /** Writes the counts. Resolves to the milliseconds until they change by time alone. */
  async #writeStatus(state: DaemonState): Promise<number | undefined> {
    const { set, pods, now } = state;
    const { generation = 0 } = set.metadata;
    const found = countNodes(state);
    if (!saysCounts(set, found))
      await updateStatus(this.context.client, DaemonSet, set, {
        status: (latest) => withCounts(latest.status, found, generation),
      });
    const { minReadySeconds = 0 } = set.spec;
    if (minReadySeconds === 0 || found.numberReady === found.numberAvailable) return undefined;
    const waits = [...pods.values()]
      .flat()
      .flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
    return Math.min(minReadySeconds * 1000, ...waits);
  }
}

/** True when a change of a node may affect a DaemonSet. */
function isOtherNode(old: Node, node: Node): boolean {
  return (
    !deepEqual(old.metadata.labels ?? {}, node.metadata.labels ?? {}) ||
    !deepEqual(old.spec.taints ?? [], node.spec.taints ?? [])
  );
}
