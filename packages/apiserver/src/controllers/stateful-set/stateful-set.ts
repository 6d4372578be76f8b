// The controller of StatefulSets. Decisions are in set-steps.ts; this file carries them out, one
// pod at a time or all at once.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset (stateful_set.go,
// stateful_set_control.go).
import { updateStatus } from "../../component-helpers/controller/update-status.ts";
import { matchesLabels, parseObjectKey } from "homeostat/api";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { templateOf } from "../../component-helpers/workloads/controller-revision.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import { ControllerRevision, StatefulSet, type StatefulSetStatus } from "homeostat/k8s/apps/v1";
import { Pod, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { followDependents } from "../../component-helpers/controller/follow-dependents.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { slowStart } from "../../component-helpers/workloads/pod-control.ts";
import { availableInMs } from "../../component-helpers/workloads/pod-state.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { findRevisions, type SetHistory, truncateHistory } from "./set-history.ts";
import { isStatusNews, setStatus } from "./set-status.ts";
import {
  condemnedStep,
  type Replica,
  assignOrdinals,
  replicaStep,
  podToReplace,
  type SetRevisions,
  type Step,
} from "./set-steps.ts";
import { StatefulPodControl } from "./stateful-pod-control.ts";
import { isOrdered, ordinalOf } from "./ordinals.ts";
import { statefulPod } from "./stateful-pod.ts";

/** Attempts to write a status that others keep changing. */
const attempts = 5;

/** Starts `statefulset`. */
export const start: Start = async (context) => new StatefulSetController(context);

/** The inputs of one sync. */
interface SyncInput {
  readonly set: StatefulSet;
  readonly history: SetHistory;
  readonly revisions: SetRevisions;
  readonly now: number;
}

class StatefulSetController extends KeyedController {
  readonly #sets = this.acquire(StatefulSet);
  readonly #pods = this.acquire(Pod, { orphan: orphanIndex });
  readonly #revisions = this.acquire(ControllerRevision, { orphan: orphanIndex });
  readonly #control: StatefulPodControl;

  constructor(context: ControllerContext) {
    super(context, "the statefulset controller");
    const recorder = this.createRecorder("statefulset-controller");
    const claims = this.acquire(PersistentVolumeClaim);
    this.#control = new StatefulPodControl(context.client, recorder, claims);
    this.followKeys(this.#sets);
    followDependents(
      this,
      { informer: this.#sets, selector: ({ spec }) => toSelector(spec.selector) },
      this.#pods,
    );
    this.start((key) => this.#sync(key));
  }

  async #sync(key: string): Promise<number | undefined> {
    const set = this.#sets.get(parseObjectKey(key));
    const selector = set && toSelector(set.spec.selector);
    if (!set || !selector) return undefined;
    const { client } = this.context;
    const owner = { client, kind: StatefulSet, owner: set, selector };
    const revisions = await claimDependents(owner, this.#revisions, ({ metadata }) =>
      matchesLabels(selector, metadata.labels ?? {}),
    );
    const fits = (pod: ApiObject): boolean => ordinalOf(pod).parent === set.metadata.name;
    const pods = await claimDependents({ ...owner, fits }, this.#pods);
    return this.#update(set, pods, revisions);
  }

  /**
   * Creates and deletes pods, writes the status, and truncates the history even after a failure.
   */
  async #update(
    set: StatefulSet,
    pods: readonly Pod[],
    revisions: readonly ControllerRevision[],
  ): Promise<number | undefined> {
    const { client, runtime } = this.context;
    const now = runtime.clock.now();
    let history: SetHistory | undefined;
    try {
      history = await findRevisions(client, set, revisions);
      const input = {
        set,
        history,
        revisions: { current: history.current.metadata.name, update: history.update.metadata.name },
        now,
      };
      const done = await this.#syncPods(input, pods);
      await this.#writeStatus(set, done.status);
      if (done.failure) throw done.failure.error;
      return nextCheckMs(set, done.status, { pods, now });
    } finally {
      await truncateHistory(client, set, { revisions, pods, history });
    }
  }

  /** Resolves to the resulting status, and the failure if any. */
  async #syncPods(
    input: SyncInput,
    pods: readonly Pod[],
  ): Promise<{
    readonly status: StatefulSetStatus;
    readonly failure?: { readonly error: unknown };
  }> {
    const { set, revisions, history, now } = input;
    const { collisions } = history;
    const statusOf = (counted: readonly Pod[], replaced: number): StatefulSetStatus =>
      setStatus(set, { pods: counted, revisions, collisions, replaced, now });
    if (set.metadata.deletionTimestamp !== undefined) return { status: statusOf(pods, 0) };
    const { replicas, condemned, firstUnavailable } = assignOrdinals(set, pods, { revisions, now });
    const counted = [...replicas.flatMap(({ pod }) => pod ?? []), ...condemned];
    try {
      const waits =
        (await this.#forAll(set, replicas, async (replica) =>
          this.#takeStep(input, replica, replicaStep(set, replica.pod, now)),
        )) ||
        (await this.#forAll(
          set,
          condemned,
          async (pod) => (await this.#control.ownClaims(set, pod), false),
        )) ||
        (await this.#forAll(set, condemned, async (pod) =>
          this.#takeStep(
            input,
            { ordinal: ordinalOf(pod).ordinal, revision: "", pod },
            condemnedStep(set, pod, { firstUnavailable, now }),
          ),
        ));
      const old = waits
        ? undefined
        : podToReplace(set, replicas, { revision: revisions.update, now });
      if (old) await this.#control.delete(set, old);
      return { status: statusOf(counted, old ? 1 : 0) };
    } catch (error) {
      return { status: statusOf(counted, 0), failure: { error } };
    }
  }

  /**
   * Runs one item after the other until one waits, or all at once if the set is not ordered.
   * Resolves to whether to wait.
   */
  async #forAll<T>(
    set: StatefulSet,
    items: readonly T[],
    run: (item: T) => Promise<boolean>,
  ): Promise<boolean> {
    if (isOrdered(set)) {
      for (const item of items) if (await run(item)) return true;
      return false;
    }
    const left = items.values();
    await slowStart(items.length, async () => void (await run(left.next().value!)));
    return false;
  }

  async #takeStep(
    { set, history }: SyncInput,
    { ordinal, revision, pod }: Replica,
    { actions, waits }: Step,
  ): Promise<boolean> {
    for (const action of actions) {
      if (action === "create") {
        const from = revision === history.update.metadata.name ? history.update : history.current;
        await this.#control.create(
          set,
          statefulPod(set, { ordinal, template: templateOf(from, set.spec.template), revision }),
          ordinal,
        );
      }
      if (!pod) continue;
      if (action === "delete") await this.#control.delete(set, pod);
      if (action === "claims") await this.#control.makeMissingClaims(set, pod);
      if (action === "repair") await this.#control.repair(set, pod);
    }
    return waits;
  }

  async #writeStatus(set: StatefulSet, status: StatefulSetStatus): Promise<void> {
    if (!isStatusNews(set.status, status)) return;
    await updateStatus(this.context.client, StatefulSet, set, { status: () => status, attempts });
  }
}

/** Milliseconds until the next pod becomes available; undefined if none is waiting. */
function nextCheckMs(
  { spec: { minReadySeconds = 0 } }: StatefulSet,
  status: StatefulSetStatus,
  { pods, now }: { readonly pods: readonly Pod[]; readonly now: number },
): number | undefined {
  if (minReadySeconds === 0 || (status.readyReplicas ?? 0) === (status.availableReplicas ?? 0))
    return undefined;
  const waits = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, now) || []);
  return waits.length > 0 ? Math.min(...waits) : minReadySeconds * 1000;
}
