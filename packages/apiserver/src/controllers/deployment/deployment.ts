// The controller of Deployments. Enqueues a deployment when it, one of its replica sets, or the
// last pod of a recreation changes.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment/deployment_controller.go.
import { controllerOf, matchesLabels, parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import {
  claimDependents,
  orphanIndex,
} from "../../component-helpers/workloads/controller-ref-manager.ts";
import { toSelector } from "../../component-helpers/meta/label-selector.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerContext, Start } from "../../component-helpers/controller/controller.ts";
import { isNamespaceTerminating } from "../../component-helpers/errors/terminating-namespace.ts";
import { Pod } from "homeostat/k8s/core/v1";
import { ReplicaSet, Deployment } from "homeostat/k8s/apps/v1";
import { keyFor } from "../../component-helpers/meta/api-object.ts";
import { Rollout, type RolloutTools } from "./rollout.ts";

/** Starts `deployment`. */
export const start: Start = async (context) => new DeploymentController(context);

class DeploymentController extends KeyedController {
  readonly #tools: RolloutTools;
  readonly #deployments = this.acquire(Deployment);
  readonly #sets = this.acquire(ReplicaSet, { orphan: orphanIndex });
  readonly #pods = this.acquire(Pod);

  constructor(context: ControllerContext) {
    super(context, "the deployment controller");
    const recorder = this.createRecorder("deployment-controller");
    this.#tools = { ...context, recorder, pods: (set) => this.#podsOf(set) };
    this.followKeys(this.#deployments);
    this.follow(this.#sets, {
      added: (set) => this.#enqueueOwner(set),
      updated: (old, set) => this.#setChanged(old, set),
      deleted: (set) => this.#enqueueController(set.read()),
    });
    this.follow(this.#pods, { deleted: (pod) => this.#podDeleted(pod.read()) });
    this.start((key) => this.#sync(key));
  }

  #podsOf({ metadata: { uid } }: ReplicaSet): readonly Pod[] {
    return this.#pods.byIndex("owner", uid).filter((pod) => controllerOf(pod)?.uid === uid);
  }

  #setChanged(old: CachedObject<ReplicaSet>, set: CachedObject<ReplicaSet>): void {
    const before = controllerOf(old.read());
    if (before && before.uid !== controllerOf(set.read())?.uid) this.#enqueueController(old.read());
    this.#enqueueOwner(set);
  }

  /** Enqueues the controller of the set, or the deployments that may adopt it. */
  #enqueueOwner(entry: CachedObject<ReplicaSet>): void {
    const set = entry.read();
    if (controllerOf(set)) return this.#enqueueController(set);
    if (entry.deleting) return;
    for (const one of this.#deployments.list({ namespace: entry.namespace })) {
      const selector = toSelector(one.spec.selector);
      if (selector && selector.length > 0 && matchesLabels(selector, set.metadata.labels ?? {}))
        this.add(keyFor(one));
    }
  }

  #enqueueController(set: ReplicaSet): void {
    const owner = this.#ownerOf(set);
    if (owner) this.add(owner.key);
  }

  #ownerOf(set: ReplicaSet): CachedObject<Deployment> | undefined {
    const reference = controllerOf(set);
    if (reference?.kind !== Deployment.kind) return undefined;
    const owner = this.#deployments.entry(`${set.metadata.namespace ?? ""}/${reference.name}`);
    return owner?.uid === reference.uid ? owner : undefined;
  }

  /** A recreation continues when the last old pod is gone. */
  #podDeleted(pod: Pod): void {
    const reference = controllerOf(pod);
    const set =
      reference?.kind === ReplicaSet.kind
        ? this.#sets.get({ name: reference.name, namespace: pod.metadata.namespace })
        : undefined;
    const owner = set && this.#ownerOf(set);
    if (owner?.read().spec.strategy?.type === "Recreate") this.add(owner.key);
  }

  async #sync(key: string): Promise<number | undefined> {
    const found = this.#deployments.get(parseObjectKey(key));
    const selector = found && toSelector(found.spec.selector);
    if (!found || !selector || selector.length === 0) return undefined;
    try {
      const sets = await claimDependents(
        { client: this.#tools.client, kind: Deployment, owner: found, selector },
        this.#sets,
      );
      return await new Rollout(this.#tools, found, sets).run();
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      throw error;
    }
  }
}
