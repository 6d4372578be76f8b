// Keeps the desired number of pods: creates them from the template, deletes the excess, and counts
// them. Handles ReplicaSets and ReplicationControllers, as upstream's controller does. Upstream
// waits for expectations; the cache here reflects this process's own writes at once.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import { updateStatus } from "../../component-helpers/controller/update-status.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import type { ReplicaOwner } from "./replica-owner.ts";
import {
  controllerOf,
  type LabelSelector,
  matchesLabels,
  parseObjectKey,
  type Kind,
} from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { PodControl, slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { isPodActive, isPodTerminating } from "../../component-helpers/workloads/pod-state.ts";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import type { ReplicaSetStatus } from "homeostat/k8s/apps/v1";
import { Pod } from "homeostat/k8s/core/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { podsToDelete } from "./pods-to-delete.ts";
import { isSameReplicaStatus, nextAvailabilityMs, replicaStatus } from "./replica-status.ts";

/** Pods created or deleted in one pass, at most. */
const burst = 500;

/** One of the two kinds that the controller handles. */
export interface ReplicaOwnerKind<O extends ReplicaOwner> {
  readonly kind: Kind<O>;
  /** The source of its events, e.g. `replicaset-controller`. */
  readonly component: string;
  readonly selector: (spec: O["spec"]) => LabelSelector | undefined;
  readonly countsTerminating: boolean;
}

/** The controller of one of the two kinds. */
export class ReplicaSetController<O extends ReplicaOwner> extends KeyedController {
  readonly #ownerKind: ReplicaOwnerKind<O>;
  readonly #owners: Informer<Kind<O>>;
  readonly #pods = this.acquire(Pod, { orphan: orphanIndex });
  readonly #control: PodControl;

  /** Starts at once. */
  constructor(context: ControllerContext, ownerKind: ReplicaOwnerKind<O>) {
    super(context, `the ${ownerKind.component}`);
    this.#ownerKind = ownerKind;
    const recorder = this.createRecorder(ownerKind.component);
    this.#control = new PodControl(context.client, recorder, ownerKind.kind);
    this.#owners = this.acquire(ownerKind.kind);
    this.followKeys(this.#owners);
    this.follow(this.#pods, {
      added: (pod) => this.#enqueue(pod),
      updated: (old, pod) => (this.#enqueue(old, pod), this.#enqueue(pod)),
      deleted: (pod) => this.#enqueue(pod),
    });
    this.start((key) => this.#sync(key));
  }

  /**
   * Enqueues the controller of the pod, or the owners that may adopt it. `now` is given with a
   * former state.
   */
  #enqueue(entry: CachedObject<Pod>, now?: CachedObject<Pod>): void {
    const pod = entry.read();
    const reference = controllerOf(pod);
    if (reference) {
      if (reference.kind !== this.#ownerKind.kind.kind) return;
      const owner = this.#owners.entry(`${entry.namespace}/${reference.name}`);
      if (owner?.uid === reference.uid) this.add(owner.key);
    } else if (!now && !entry.deleting) {
      for (const owner of this.#owners.list({ namespace: entry.namespace }))
        if (this.#selects(owner, pod)) this.add(keyFor(owner));
    }
  }

  #selects({ spec }: O, { metadata }: Pod): boolean {
    const selector = this.#ownerKind.selector(spec);
    return (
      selector !== undefined &&
      selector.length > 0 &&
      matchesLabels(selector, metadata.labels ?? {})
    );
  }

  async #sync(key: string): Promise<number | undefined> {
    const owner = this.#owners.get(parseObjectKey(key));
    const selector = owner && this.#ownerKind.selector(owner.spec);
    if (!owner || !selector) return undefined;
    const { client, runtime } = this.context;
    const { uid } = owner.metadata;
    const own = this.#pods.byIndex("owner", uid).filter((pod) => controllerOf(pod)?.uid === uid);
    const active = await claimDependents(
      { client, kind: this.#ownerKind.kind, owner: owner, selector },
      this.#pods,
      isPodActive,
    );
    const going = this.#ownerKind.countsTerminating
      ? own.filter(
          (pod) => isPodTerminating(pod) && matchesLabels(selector, pod.metadata.labels ?? {}),
        ).length
      : undefined;
    const failed =
      owner.metadata.deletionTimestamp === undefined
        ? await this.#manage(owner, active).then(
            () => undefined,
            (error: unknown) => ({ error }),
          )
        : undefined;
    const now = runtime.clock.now();
    await this.#writeStatus(owner, (latest) =>
      replicaStatus(latest, {
        active,
        terminating: going,
        failure: failed && reasonOf(failed.error),
        now,
      }),
    );
    if (failed) throw failed.error;
    return nextAvailabilityMs(owner, active, now);
  }

  async #manage(owner: O, active: readonly Pod[]): Promise<void> {
    const diff = active.length - (owner.spec.replicas ?? 0);
    if (diff < 0)
      await slowStart(Math.min(-diff, burst), () =>
        this.#control.create(owner, owner.spec.template!),
      );
    if (diff <= 0) return;
    const deletions = podsToDelete(active, this.#family(owner), {
      count: Math.min(diff, burst),
      now: this.context.runtime.clock.now(),
    });
    const deleted = await Promise.allSettled(
      deletions.map((pod) => this.#control.delete(owner, pod)),
    );
    for (const one of deleted) if (one.status === "rejected") throw one.reason;
  }

  /** The pods of all ReplicaSets that have the same controller. */
  #family(owner: O): readonly Pod[] {
    const controller = controllerOf(owner);
    const siblings = controller ? this.#owners.byIndex("owner", controller.uid) : [owner];
    return siblings.flatMap(({ metadata }) => this.#pods.byIndex("owner", metadata.uid));
  }

  /** Writes the status unless it is current. */
  async #writeStatus(owner: O, next: (owner: O) => ReplicaSetStatus): Promise<void> {
    const { client } = this.context;
    const { kind } = this.#ownerKind;
    if (isSameReplicaStatus(owner.status, next(owner))) return;
    const { generation = 0 } = owner.metadata;
    await updateStatus(client, kind, owner, {
      status: (latest) => ({ ...next(latest), observedGeneration: generation }),
    });
  }
}
