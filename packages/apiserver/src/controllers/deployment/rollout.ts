// One sync of one Deployment: creates and scales its replica sets, and writes its status. Decisions
// are in rollout-plan.ts, revisions.ts and deployment-status.ts.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment (deployment_controller.go, sync.go,
// rolling.go, recreate.go).
import { newReplicaSet } from "./new-replica-set.ts";
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { createObject } from "../../component-helpers/meta/write-object.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { isAlreadyExists, isControlledBy } from "homeostat/api";
import type { Client } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import { eventsAbout, type ObjectEvents } from "../../component-helpers/controller/events-about.ts";
import type { EventRecorder } from "homeostat/events";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import { isNamespaceTerminating } from "../../component-helpers/errors/terminating-namespace.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import { ReplicaSet, Deployment, type DeploymentStatus } from "homeostat/k8s/apps/v1";
import { countOf, hasHistoryLimit, hasProgressDeadline, replicasOf } from "./deployment-spec.ts";
import {
  calculateStatus,
  findCondition,
  isComplete,
  pauseCondition,
  progressCheckMs,
  rolloutStatus,
  setCondition,
  newCondition,
} from "./deployment-status.ts";
import {
  byRevision,
  findNewSet,
  isSameTemplate,
  maxRevision,
  newestAnnotations,
  revisionAnnotation,
  sizeAnnotations,
} from "./revisions.ts";
import { newSetSize, rescale, type Resize, shrinkOldSets, wasScaled } from "./rollout-plan.ts";

/** The tools of a rollout. `pods` returns the pods of a replica set. */
export interface RolloutTools {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly kindData: KindData;
  readonly recorder: EventRecorder;
  readonly pods: (set: ReplicaSet) => readonly Pod[];
}

/** Syncs a deployment and the replica sets that it controls. */
export class Rollout {
  readonly #tools: RolloutTools;
  #deployment: Deployment;
  #sets: readonly ReplicaSet[];

  constructor(tools: RolloutTools, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.#tools = tools;
    this.#deployment = deployment;
    this.#sets = sets;
  }

  /** Resolves to the milliseconds until the next sync, if any. */
  async run(): Promise<number | undefined> {
    if (this.#deployment.metadata.deletionTimestamp !== undefined) return this.#syncCounts();
    const paused = pauseCondition(this.#deployment, this.#now());
    if (paused) await this.#write(setCondition(this.#deployment.status, paused));
    await this.#syncNewest();
    if (this.#deployment.spec.paused || wasScaled(this.#deployment, this.#sets)) {
      await this.#resize(rescale(this.#deployment, this.#newSet(), this.#oldSets()));
      if (this.#deployment.spec.paused) await this.#cleanup();
      return this.#syncCounts();
    }
    await (this.#deployment.spec.strategy?.type === "Recreate" ? this.#recreate() : this.#roll());
    return this.#syncRolloutStatus();
  }

  async #roll(): Promise<void> {
    const newSet = this.#newSet() ?? (await this.#create());
    const replicas = newSetSize(this.#deployment, this.#sets, replicasOf(newSet));
    if (replicas !== replicasOf(newSet)) return this.#resize([{ set: newSet, replicas }]);
    const shrinking = shrinkOldSets(this.#deployment, this.#oldSets(), newSet);
    if (shrinking.length > 0) return this.#resize(shrinking);
    await this.#cleanupWhenComplete();
  }

  async #recreate(): Promise<void> {
    const old = this.#oldSets();
    const active = old.filter((set) => replicasOf(set) > 0);
    if (active.length > 0) return this.#resize(active.map((set) => ({ set, replicas: 0 })));
    const left = old.some((set) => this.#tools.pods(set).some((pod) => !isPodFinished(pod)));
    if (left || countOf(old, "replicas") > 0) return;
    const newSet = this.#newSet() ?? (await this.#create());
    await this.#resize(
      replicasOf(newSet) === replicasOf(this.#deployment)
        ? []
        : [{ set: newSet, replicas: replicasOf(this.#deployment) }],
    );
    await this.#cleanupWhenComplete();
  }

  #newSet(): ReplicaSet | undefined {
    return findNewSet(this.#deployment, this.#sets);
  }

  #oldSets(): readonly ReplicaSet[] {
    const uid = this.#newSet()?.metadata.uid;
    return this.#sets.filter((set) => set.metadata.uid !== uid);
  }

  #now(): number {
    return this.#tools.runtime.clock.now();
  }

  /** Gives the newest set the highest revision, and the deployment the same. */
  async #syncNewest(): Promise<void> {
    const newSet = this.#newSet();
    if (!newSet) return;
    const { spec } = this.#deployment;
    const before = newSet.metadata.annotations ?? {};
    const annotations = newestAnnotations(
      this.#deployment,
      before,
      maxRevision(this.#oldSets()) + 1n,
    );
    const minReadySeconds = spec.minReadySeconds ?? 0;
    if (!deepEqual(before, annotations) || minReadySeconds !== (newSet.spec.minReadySeconds ?? 0)) {
      await this.#update(newSet, {
        ...newSet,
        metadata: { ...newSet.metadata, annotations },
        spec: { ...newSet.spec, minReadySeconds },
      });
    }
    const found = newCondition("Progressing", "True", {
      reason: "FoundNewReplicaSet",
      message: `Found new replica set ${JSON.stringify(newSet.metadata.name)}`,
      now: this.#now(),
    });
    const isSet =
      !hasProgressDeadline(this.#deployment) ||
      findCondition(this.#deployment.status, "Progressing");
    const status = isSet ? this.#deployment.status : setCondition(this.#deployment.status, found);
    await this.#setRevision(annotations[revisionAnnotation] ?? "", status);
  }

  /** Writes revision and status if either changed. */
  async #setRevision(revision: string, status: DeploymentStatus): Promise<void> {
    const { metadata } = this.#deployment;
    if (
      metadata.annotations?.[revisionAnnotation] === revision &&
      deepEqual(status, this.#deployment.status)
    )
      return;
    this.#deployment = {
      ...this.#deployment,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, [revisionAnnotation]: revision },
      },
    };
    await this.#write(status);
  }

  async #create(): Promise<ReplicaSet> {
    const manifest = newReplicaSet(this.#tools.kindData, this.#deployment, this.#sets);
    const { name } = manifest.metadata;
    const made = await createObject(this.#tools.client, ReplicaSet, manifest).catch(
      (error: unknown) => this.#creationFailed(name, error),
    );
    this.#sets = [...this.#sets, made];
    if (replicasOf(made) > 0)
      this.#events.normal(
        "ScalingReplicaSet",
        `Scaled up replica set ${name} from 0 to ${replicasOf(made)}`,
      );
    const status = this.#deployment.status;
    const created = newCondition("Progressing", "True", {
      reason: "NewReplicaSetCreated",
      message: `Created new replica set ${JSON.stringify(name)}`,
      now: this.#now(),
    });
    await this.#setRevision(
      made.metadata.annotations?.[revisionAnnotation] ?? "",
      hasProgressDeadline(this.#deployment) ? setCondition(status, created) : status,
    );
    return made;
  }

  /**
   * An existing set of this name may be ours already. Otherwise two templates have the same hash,
   * and the next sync uses another.
   */
  async #creationFailed(name: string, error: unknown): Promise<ReplicaSet> {
    const { metadata, spec, status } = this.#deployment;
    if (isAlreadyExists(error)) {
      const found = await this.#tools.client.find(ReplicaSet, {
        name,
        namespace: metadata.namespace,
      });
      if (
        found &&
        isControlledBy(found, this.#deployment) &&
        isSameTemplate(found.spec.template!, spec.template)
      )
        return found;
      await this.#write({ ...status, collisionCount: (status.collisionCount ?? 0) + 1 });
    } else if (!isNamespaceTerminating(error)) {
      const message = `Failed to create new replica set ${JSON.stringify(name)}: ${reasonOf(error)}`;
      if (hasProgressDeadline(this.#deployment))
        await this.#write(
          setCondition(
            status,
            newCondition("Progressing", "False", {
              reason: "ReplicaSetCreateError",
              message,
              now: this.#now(),
            }),
          ),
        );
      this.#events.warning("ReplicaSetCreateError", message);
    }
    throw error;
  }

  async #resize(resizes: readonly Resize[]): Promise<void> {
    const sizes = sizeAnnotations(this.#deployment);
    for (const { set, replicas } of resizes) {
      const { annotations } = set.metadata;
      const before = replicasOf(set);
      if (
        before === replicas &&
        Object.entries(sizes).every(([key, value]) => annotations?.[key] === value)
      )
        continue;
      await this.#update(set, {
        ...set,
        metadata: { ...set.metadata, annotations: { ...annotations, ...sizes } },
        spec: { ...set.spec, replicas },
      });
      if (before !== replicas)
        this.#events.normal(
          "ScalingReplicaSet",
          `Scaled ${before < replicas ? "up" : "down"} replica set ${set.metadata.name} from ${before} to ${replicas}`,
        );
    }
  }

  async #update(set: ReplicaSet, next: ReplicaSet): Promise<void> {
    const updated = await this.#tools.client.update(ReplicaSet, next);
    this.#sets = this.#sets.map((one) => (one.metadata.uid === set.metadata.uid ? updated : one));
  }

  async #cleanupWhenComplete(): Promise<void> {
    if (isComplete(this.#deployment, this.#deployment.status)) await this.#cleanup();
  }

  /** Deletes the oldest unused replica sets beyond the history limit. */
  async #cleanup(): Promise<void> {
    if (!hasHistoryLimit(this.#deployment)) return;
    const old = this.#oldSets()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .toSorted(byRevision);
    const tooMany = Math.max(0, old.length - this.#deployment.spec.revisionHistoryLimit!);
    for (const set of old.slice(0, tooMany)) {
      const { metadata, status } = set;
      if (
        status.replicas ||
        replicasOf(set) > 0 ||
        (metadata.generation ?? 0) > (status.observedGeneration ?? 0)
      )
        continue;
      await this.#tools.client
        .delete(ReplicaSet, { name: metadata.name, namespace: metadata.namespace })
        .catch(ignoreNotFound);
    }
  }

  /** Writes the counts without progress. */
  async #syncCounts(): Promise<undefined> {
    const status = calculateStatus(this.#deployment, {
      sets: this.#sets,
      newSet: this.#newSet(),
      now: this.#now(),
    });
    if (!deepEqual(status, this.#deployment.status)) await this.#write(status);
  }

  async #syncRolloutStatus(): Promise<number | undefined> {
    const status = rolloutStatus(this.#deployment, {
      sets: this.#sets,
      newSet: this.#newSet(),
      now: this.#now(),
    });
    if (deepEqual(status, this.#deployment.status))
      return progressCheckMs(this.#deployment, status, this.#now());
    await this.#write(status);
    return undefined;
  }

  /** Writes the status, and the annotations with it, as upstream does. */
  async #write(status: DeploymentStatus): Promise<void> {
    const { metadata } = await this.#tools.client.update(
      Deployment,
      { ...this.#deployment, status },
      { subresource: "status" },
    );
    this.#deployment = { ...this.#deployment, metadata, status };
  }

  get #events(): ObjectEvents {
    return eventsAbout(this.#tools.recorder, Deployment, this.#deployment);
  }
}
