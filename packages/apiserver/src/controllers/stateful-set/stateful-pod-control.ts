// Creates, repairs and deletes the pods of a StatefulSet and their claims, and records events about
// it.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_pod_control.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";
import { createObject, type NamedObject } from "../../component-helpers/meta/write-object.ts";
import { isAlreadyExists, isConflict, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import type { Client } from "homeostat/client";
import { eventsAbout, type ObjectEvents } from "../../component-helpers/controller/events-about.ts";
import type { EventRecorder } from "homeostat/events";
import { Pod, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { StatefulSet } from "homeostat/k8s/apps/v1";
import {
  areOwnersRight,
  blocksPod,
  type ClaimingPod,
  hasOtherController,
  rightOwners,
} from "./claim-owners.ts";
import { ordinalOf, podNameFor } from "./ordinals.ts";
import { claimsFor, hasIdentity, hasStorage, withIdentity, withStorage } from "./stateful-pod.ts";

/** Attempts to write a pod that others keep changing. */
const attempts = 4;

/** Writes pods and claims on behalf of StatefulSets. */
export class StatefulPodControl {
  readonly #client: Client;
  readonly #recorder: EventRecorder;
  readonly #claims: Informer<Kind<PersistentVolumeClaim>>;

  constructor(
    client: Client,
    recorder: EventRecorder,
    claims: Informer<Kind<PersistentVolumeClaim>>,
  ) {
    this.#client = client;
    this.#recorder = recorder;
    this.#claims = claims;
  }

  /**
   * Creates the claims of a pod, then the pod. Does nothing while a claim of a former pod still
   * exists.
   */
  async create(set: StatefulSet, pod: NamedObject<Pod>, ordinal: number): Promise<void> {
    const { name } = pod.metadata;
    const coming = { metadata: { name, uid: "", resourceVersion: "", creationTimestamp: "" } };
    if (this.#claimsOf(set, ordinal).some((claim) => blocksPod(claim, set, coming))) return;
    await this.#recordingFailure("create", set, name, () => this.#makeClaims(set, ordinal));
    const failure = await createObject(this.#client, Pod, pod).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure && isAlreadyExists(failure.error)) throw failure.error;
    await this.#recordingFailure("update", set, name, () => this.#ownClaims(set, coming));
    if (failure) {
      this.#recordFailure("create", set, name, failure.error);
      throw failure.error;
    }
    this.#events(set).normal(
      "SuccessfulCreate",
      `Create Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    );
  }

  /** Deletes a pod. A missing pod is no error. */
  async delete(set: StatefulSet, { metadata: { name, namespace } }: Pod): Promise<void> {
    await this.#recordingFailure("delete", set, name, () =>
      this.#client.delete(Pod, { name, namespace }).catch(ignoreNotFound),
    );
    this.#events(set).normal(
      "SuccessfulDelete",
      `Delete Pod ${name} in StatefulSet ${set.metadata.name} successful`,
    );
  }

  /** Creates the missing claims of a pod. */
  async makeMissingClaims(set: StatefulSet, pod: Pod): Promise<void> {
    await this.#makeClaims(set, ordinalOf(pod).ordinal);
    await this.#recordingFailure("update", set, pod.metadata.name, () => this.#ownClaims(set, pod));
  }

  /** Corrects the labels, the volumes and the owners of the claims of a pod. */
  async repair(set: StatefulSet, pod: Pod): Promise<void> {
    const { name, namespace } = pod.metadata;
    for (let left = attempts, latest = pod; !this.#isRight(set, latest); left -= 1) {
      const mended = await this.#recordingFailure("update", set, name, () =>
        this.#mend(set, latest),
      );
      try {
        await this.#client.update(Pod, mended);
        return this.#events(set).normal(
          "SuccessfulUpdate",
          `Update Pod ${name} in StatefulSet ${set.metadata.name} successful`,
        );
      } catch (error) {
        if (!isConflict(error) || left <= 1) {
          this.#recordFailure("update", set, name, error);
          throw error;
        }
        latest = await this.#client.get(Pod, { name, namespace });
      }
    }
  }

  /** Corrects the owners of the claims of a pod. */
  async ownClaims(set: StatefulSet, pod: Pod): Promise<void> {
    if (!this.#areClaimsRight(set, pod)) await this.#ownClaims(set, pod);
  }

  #isRight(set: StatefulSet, pod: Pod): boolean {
    return hasIdentity(set, pod) && hasStorage(set, pod) && this.#areClaimsRight(set, pod);
  }

  async #mend(set: StatefulSet, pod: Pod): Promise<Pod> {
    const named = hasIdentity(set, pod) ? pod : withIdentity(pod);
    const stored = hasStorage(set, named) ? named : withStorage(set, named);
    if (stored !== named) await this.#makeClaims(set, ordinalOf(pod).ordinal);
    await this.ownClaims(set, pod);
    return stored;
  }

  #areClaimsRight(set: StatefulSet, pod: Pod): boolean {
    return this.#claimsOf(set, ordinalOf(pod).ordinal).every((claim) =>
      areOwnersRight(claim, set, pod),
    );
  }

  /** The claims that exist. */
  #claimsOf(set: StatefulSet, ordinal: number): readonly PersistentVolumeClaim[] {
    return claimsFor(set, ordinal).flatMap(
      ({ metadata: { name, namespace } }) => this.#claims.get({ name, namespace }) ?? [],
    );
  }

  async #ownClaims(set: StatefulSet, pod: ClaimingPod): Promise<void> {
    for (const claim of this.#claimsOf(set, ordinalOf(pod).ordinal)) {
      const { name } = claim.metadata;
      if (hasOtherController(claim, set, pod)) {
        const message = `PersistentVolumeClaim ${name} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        this.#events(set).warning("ConflictingController", message);
      }
      if (areOwnersRight(claim, set, pod)) continue;
      const owned = {
        ...claim,
        metadata: { ...claim.metadata, ownerReferences: rightOwners(claim, set, pod) },
      };
      await this.#client.update(PersistentVolumeClaim, owned).catch((error: unknown) => {
        throw new Error(
          `could not update claim ${name} for delete policy ownerRefs: ${reasonOf(error)}`,
          { cause: error },
        );
      });
    }
  }

  /** Creates every claim that it can, then fails. */
  async #makeClaims(set: StatefulSet, ordinal: number): Promise<void> {
    const failures: string[] = [];
    for (const claim of claimsFor(set, ordinal)) {
      const { name, namespace } = claim.metadata;
      const found = this.#claims.get({ name, namespace });
      if (found?.metadata.deletionTimestamp !== undefined)
        failures.push(`pvc ${name} is being deleted`);
      if (found) continue;
      const failure = await this.#makeClaim(set, podNameFor(set, ordinal), claim);
      if (failure !== undefined) failures.push(`failed to create PVC ${name}: ${failure}`);
    }
    if (failures.length > 0)
      throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(", ")}]`);
  }

  /** Resolves to the error message if it fails. */
  async #makeClaim(
    set: StatefulSet,
    pod: string,
    claim: NamedObject<PersistentVolumeClaim>,
  ): Promise<string | undefined> {
    const { name } = claim.metadata;
    try {
      await createObject(this.#client, PersistentVolumeClaim, claim);
      this.#events(set).normal(
        "SuccessfulCreate",
        `Create Claim ${name} Pod ${pod} in StatefulSet ${set.metadata.name} success`,
      );
      return undefined;
    } catch (error) {
      if (!isAlreadyExists(error))
        this.#events(set).warning(
          "FailedCreate",
          `Create Claim ${name} for Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${reasonOf(error)}`,
        );
      return reasonOf(error);
    }
  }

  /** Records an event if `run` rejects. */
  async #recordingFailure<T>(
    verb: Verb,
    set: StatefulSet,
    pod: string,
    run: () => Promise<T>,
  ): Promise<T> {
    try {
      return await run();
    } catch (error) {
      this.#recordFailure(verb, set, pod, error);
      throw error;
    }
  }

  #recordFailure(verb: Verb, set: StatefulSet, pod: string, error: unknown): void {
    const word = verb.charAt(0).toUpperCase() + verb.slice(1);
    this.#events(set).warning(
      `Failed${word}`,
      `${word} Pod ${pod} in StatefulSet ${set.metadata.name} failed error: ${reasonOf(error)}`,
    );
  }

  #events(set: StatefulSet): ObjectEvents {
    return eventsAbout(this.#recorder, StatefulSet, set);
  }
}

type Verb = "create" | "update" | "delete";
