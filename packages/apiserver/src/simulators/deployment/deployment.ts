// Deployments: wakes when one of them, one of their replica sets, or the last pod of a recreation
// changes, and looks at it.
// Upstream: k8s.io/kubernetes/pkg/controller/deployment/deployment_controller.go.
import { controllerOf, matchesLabels, parseObjectKey } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { claimDependents, orphanIndex, toSelector } from "../claim-dependents.ts";
import { createSimulatorEventRecorder } from "../event-recorder.ts";
import { KeyedController } from "../keyed-controller.ts";
import type { Simulator, SimulatorContext } from "../simulator.ts";
import { isNamespaceTerminating } from "../terminating-namespace.ts";
import {
  keyFor,
  type Pod,
  podKind,
  replicaSetKind,
  type WorkloadKind,
} from "../workload-objects.ts";
import { type Deployment, deploymentKind, type ReplicaSet } from "./deployment-objects.ts";
import { Rollout, type RolloutTools } from "./rollout.ts";

/** Starts the controller of deployments. */
export const startDeployments: Simulator["start"] = async (context) => {
  const controller = new KeyedController(context, "the deployment controller");
  const deployments = new Deployments(context, controller);
  return controller.start((key) => deployments.sync(key));
};

class Deployments {
  readonly #controller: KeyedController;
  readonly #deployments: Informer<WorkloadKind<Deployment>>;
  readonly #sets: Informer<WorkloadKind<ReplicaSet>>;
  readonly #pods: Informer<WorkloadKind<Pod>>;
  readonly #tools: RolloutTools;

  constructor({ client, runtime, kindData }: SimulatorContext, controller: KeyedController) {
    this.#controller = controller;
    const recorder = createSimulatorEventRecorder(client, runtime, "deployment-controller");
    controller.onStop(() => recorder.close());
    this.#deployments = controller.acquire(deploymentKind);
    this.#sets = controller.acquire(replicaSetKind);
    this.#pods = controller.acquire(podKind);
    this.#sets.addIndex("orphan", orphanIndex);
    this.#tools = { client, runtime, kindData, recorder, pods: (set) => this.#podsOf(set) };
    const wake = ({ key }: CachedObject): void => controller.add(key);
    controller.follow(this.#deployments, {
      added: wake,
      updated: (_, object) => wake(object),
      deleted: wake,
    });
    controller.follow(this.#sets, {
      added: (set) => this.#wakeOwner(set),
      updated: (old, set) => this.#setChanged(old, set),
      deleted: (set) => this.#wakeController(set.read()),
    });
    controller.follow(this.#pods, { deleted: (pod) => this.#podGone(pod.read()) });
  }

  #podsOf({ metadata: { uid } }: ReplicaSet): readonly Pod[] {
    return this.#pods.byIndex("owner", uid).filter((pod) => controllerOf(pod)?.uid === uid);
  }

  #setChanged(old: CachedObject<ReplicaSet>, set: CachedObject<ReplicaSet>): void {
    const before = controllerOf(old.read());
    if (before && before.uid !== controllerOf(set.read())?.uid) this.#wakeController(old.read());
    this.#wakeOwner(set);
  }

  /** Wakes the one that controls the set, or those that might adopt it. */
  #wakeOwner(entry: CachedObject<ReplicaSet>): void {
    const set = entry.read();
    if (controllerOf(set)) return this.#wakeController(set);
    if (entry.deleting) return;
    for (const one of this.#deployments.list({ namespace: entry.namespace })) {
      const selector = toSelector(one.spec.selector);
      if (selector && selector.length > 0 && matchesLabels(selector, set.metadata.labels ?? {}))
        this.#controller.add(keyFor(one));
    }
  }

  #wakeController(set: ReplicaSet): void {
    const owner = this.#ownerOf(set);
    if (owner) this.#controller.add(owner.key);
  }

  #ownerOf(set: ReplicaSet): CachedObject<Deployment> | undefined {
    const reference = controllerOf(set);
    if (reference?.kind !== deploymentKind.kind) return undefined;
    const owner = this.#deployments.entry(`${set.metadata.namespace ?? ""}/${reference.name}`);
    return owner?.uid === reference.uid ? owner : undefined;
  }

  /** A recreation goes on when the last old pod has gone. */
  #podGone(pod: Pod): void {
    const reference = controllerOf(pod);
    const set =
      reference?.kind === replicaSetKind.kind
        ? this.#sets.get({ name: reference.name, namespace: pod.metadata.namespace })
        : undefined;
    const owner = set && this.#ownerOf(set);
    if (owner?.read().spec.strategy.type === "Recreate") this.#controller.add(owner.key);
  }

  async sync(key: string): Promise<number | undefined> {
    const found = this.#deployments.get(parseObjectKey(key));
    const selector = found && toSelector(found.spec.selector);
    if (!found || !selector || selector.length === 0) return undefined;
    const { namespace = "", uid } = found.metadata;
    const candidates = [
      ...this.#sets.byIndex("owner", uid),
      ...this.#sets.byIndex("orphan", namespace),
    ];
    try {
      const sets = await claimDependents(
        { client: this.#tools.client, kind: deploymentKind, owner: found, selector },
        replicaSetKind,
        candidates,
      );
      return await new Rollout(this.#tools, found, sets).run();
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      throw error;
    }
  }
}
