// Keeps as many pods as an object asks for: makes them from its template, deletes what is too much,
// and counts. One frame for replica sets and replication controllers, as upstream's is. Where
// upstream waits for expectations, the cache here knows of this process's own writes at once.
// Upstream: k8s.io/kubernetes/pkg/controller/replicaset/replica_set.go.
import {
  controllerOf,
  isConflict,
  isNotFound,
  type LabelSelector,
  matchesLabels,
  parseObjectKey,
} from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { createSimulatorEventRecorder } from "../../component-helpers/events/event-recorder.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { PodControl, slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { isPodActive, isPodTerminating } from "../../component-helpers/workloads/pod-state.ts";
import type {
  RunningController,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import {
  keyFor,
  type Pod,
  podKind,
  type ReplicaKeeper,
  type ReplicaStatus,
  type WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";
import { podsToDelete } from "./pods-to-delete.ts";
import { isSameReplicaStatus, nextAvailabilityMs, replicaStatus } from "./replica-status.ts";

/** Pods made or deleted in one pass, at most. */
const burst = 500;

/** How a kind that keeps pods differs from another. */
export interface ReplicaKind {
  readonly kind: WorkloadKind<ReplicaKeeper>;
  /** Whose events they are, e.g. `replicaset-controller`. */
  readonly component: string;
  readonly selector: (spec: ReplicaKeeper["spec"]) => LabelSelector | undefined;
  readonly countsTerminating: boolean;
}

/** Starts a controller of `what`. */
export function startReplicaKeeper(
  context: ControllerContext,
  what: ReplicaKind,
): RunningController {
  const controller = new KeyedController(context, `the ${what.component}`);
  const keeper = new Keeper(context, what, controller);
  controller.start((key) => keeper.sync(key));
  return controller;
}

class Keeper {
  readonly #context: ControllerContext;
  readonly #what: ReplicaKind;
  readonly #controller: KeyedController;
  readonly #keepers: Informer<WorkloadKind<ReplicaKeeper>>;
  readonly #pods: Informer<WorkloadKind<Pod>>;
  readonly #control: PodControl;

  constructor(context: ControllerContext, what: ReplicaKind, controller: KeyedController) {
    this.#context = context;
    this.#what = what;
    this.#controller = controller;
    const recorder = createSimulatorEventRecorder(context.client, context.runtime, what.component);
    controller.onStop(() => recorder.close());
    this.#control = new PodControl(context.client, recorder, what.kind);
    this.#keepers = controller.acquire(what.kind);
    this.#pods = controller.acquire(podKind);
    this.#pods.addIndex("orphan", orphanIndex);
    controller.follow(this.#keepers, {
      added: ({ key }) => controller.add(key),
      updated: (_, { key }) => controller.add(key),
      deleted: ({ key }) => controller.add(key),
    });
    controller.follow(this.#pods, {
      added: (pod) => this.#wake(pod),
      updated: (old, pod) => (this.#wake(old, pod), this.#wake(pod)),
      deleted: (pod) => this.#wake(pod),
    });
  }

  /**
   * Wakes the pod's controller, or whoever might adopt it. `now` is given for a state that is past.
   */
  #wake(entry: CachedObject<Pod>, now?: CachedObject<Pod>): void {
    const pod = entry.read();
    const reference = controllerOf(pod);
    if (reference) {
      if (reference.kind !== this.#what.kind.kind) return;
      const owner = this.#keepers.entry(`${entry.namespace}/${reference.name}`);
      if (owner?.uid === reference.uid) this.#controller.add(owner.key);
    } else if (!now && !entry.deleting) {
      for (const keeper of this.#keepers.list({ namespace: entry.namespace }))
        if (this.#selects(keeper, pod)) this.#controller.add(keyFor(keeper));
    }
  }

  #selects({ spec }: ReplicaKeeper, { metadata }: Pod): boolean {
    const selector = this.#what.selector(spec);
    return (
      selector !== undefined &&
      selector.length > 0 &&
      matchesLabels(selector, metadata.labels ?? {})
    );
  }

  async sync(key: string): Promise<number | undefined> {
    const keeper = this.#keepers.get(parseObjectKey(key));
    const selector = keeper && this.#what.selector(keeper.spec);
    if (!keeper || !selector) return undefined;
    const { client, runtime } = this.#context;
    const { namespace = "", uid } = keeper.metadata;
    const own = this.#pods.byIndex("owner", uid).filter((pod) => controllerOf(pod)?.uid === uid);
    const candidates = [...own, ...this.#pods.byIndex("orphan", namespace)].filter(isPodActive);
    const active = await claimDependents(
      { client, kind: this.#what.kind, owner: keeper, selector },
      podKind,
      candidates,
    );
    const going = this.#what.countsTerminating
      ? own.filter(
          (pod) => isPodTerminating(pod) && matchesLabels(selector, pod.metadata.labels ?? {}),
        ).length
      : undefined;
    const failed =
      keeper.metadata.deletionTimestamp === undefined
        ? await this.#manage(keeper, active).then(
            () => undefined,
            (error: unknown) => ({ error }),
          )
        : undefined;
    const now = runtime.clock.now();
    await this.#writeStatus(keeper, (latest) =>
      replicaStatus(latest, {
        active,
        terminating: going,
        failure: failed && messageOf(failed.error),
        now,
      }),
    );
    if (failed) throw failed.error;
    return nextAvailabilityMs(keeper, active, now);
  }

  async #manage(keeper: ReplicaKeeper, active: readonly Pod[]): Promise<void> {
    const diff = active.length - (keeper.spec.replicas ?? 0);
    if (diff < 0)
      await slowStart(Math.min(-diff, burst), () =>
        this.#control.create(keeper, keeper.spec.template!),
      );
    if (diff <= 0) return;
    const doomed = podsToDelete(active, this.#family(keeper), {
      count: Math.min(diff, burst),
      now: this.#context.runtime.clock.now(),
    });
    const deleted = await Promise.allSettled(
      doomed.map((pod) => this.#control.delete(keeper, pod)),
    );
    for (const one of deleted) if (one.status === "rejected") throw one.reason;
  }

  /** The pods of all keepers that the same object controls. */
  #family(keeper: ReplicaKeeper): readonly Pod[] {
    const controller = controllerOf(keeper);
    const siblings = controller ? this.#keepers.byIndex("owner", controller.uid) : [keeper];
    return siblings.flatMap(({ metadata }) => this.#pods.byIndex("owner", metadata.uid));
  }

  /** Writes counts on the latest revision, once more when the first try was too late. */
  async #writeStatus(
    keeper: ReplicaKeeper,
    next: (keeper: ReplicaKeeper) => ReplicaStatus,
  ): Promise<void> {
    const { client } = this.#context;
    const { kind } = this.#what;
    const status = next(keeper);
    if (isSameReplicaStatus(keeper.status, status)) return;
    await client
      .update(kind, { ...keeper, status }, { subresource: "status" })
      .catch(async (error: unknown) => {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
        const latest = await client.find(kind, {
          name: keeper.metadata.name,
          namespace: keeper.metadata.namespace,
        });
        if (latest?.metadata.uid === keeper.metadata.uid)
          await client.update(
            kind,
            {
              ...latest,
              status: { ...next(latest), observedGeneration: keeper.metadata.generation ?? 0 },
            },
            { subresource: "status" },
          );
      });
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
