// Binds claims to volumes, and requests dynamic provisioning of missing volumes.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/persistentvolume/pv_controller.go.
import { isConflict, isNotFound, parseObjectKey, type Kind } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import { objectReference, type EventRecorder } from "homeostat/events";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type {
  ControllerDescriptor,
  ControllerContext,
} from "../../../component-helpers/controller/controller.ts";
import {
  bindCompleted,
  boundByController,
  claimReference,
  isReservedFor,
  storageProvisioner,
} from "../../../component-helpers/storage/volume-binding.ts";
import { PersistentVolumeClaim, PersistentVolume } from "homeostat/k8s/core/v1";
import { StorageClass } from "homeostat/k8s/storage/v1";
import { type ClaimStep, claimStep, volumePhase } from "./binding-step.ts";

/** Volume keys have no namespace; claim keys always do. */
const isVolumeKey = (key: string): boolean => !key.includes("/");

/** Starts `persistentvolume-binder`. */
export const startPersistentVolumeBinderController: ControllerDescriptor["start"] = async (
  context,
) => {
  const controller = new KeyedController(context, "the persistentvolume-binder controller");
  const recorder = controller.createRecorder("persistentvolume-controller");
  const binder = new PersistentVolumeController(context, controller, recorder);
  return controller.start((key) =>
    isVolumeKey(key) ? binder.syncVolume(key) : binder.syncClaim(key),
  );
};

class PersistentVolumeController {
  readonly #client: ControllerContext["client"];
  readonly #recorder: EventRecorder;
  readonly #claims: Informer<Kind<PersistentVolumeClaim>>;
  readonly #volumes: Informer<Kind<PersistentVolume>>;
  readonly #classes: Informer<Kind<StorageClass>>;
  /** The last message about a claim, by key: it is not repeated. */
  readonly #lastMessages = new Map<string, string>();

  constructor({ client }: ControllerContext, controller: KeyedController, recorder: EventRecorder) {
    this.#client = client;
    this.#recorder = recorder;
    this.#claims = controller.acquire(PersistentVolumeClaim);
    this.#volumes = controller.acquire(PersistentVolume);
    this.#classes = controller.acquire(StorageClass);
    const pending = (): void =>
      this.#claims
        .entries()
        .forEach((entry) => entry.read().status.phase !== "Bound" && controller.add(entry.key));
    const enqueueVolumeOf = (claim: PersistentVolumeClaim): void => {
      if (claim.spec.volumeName) controller.add(claim.spec.volumeName);
    };
    controller.follow(this.#claims, {
      added: ({ key }) => controller.add(key),
      updated: (_, { key }) => controller.add(key),
      deleted: (claim) => {
        this.#lastMessages.delete(claim.key);
        enqueueVolumeOf(claim.read());
      },
    });
    const volume = ({ key }: { readonly key: string }): void => {
      controller.add(key);
      pending();
    };
    const gone = (): void => this.#claims.entries().forEach(({ key }) => controller.add(key));
    controller.follow(this.#volumes, {
      added: volume,
      updated: (_, one) => volume(one),
      deleted: gone,
    });
    controller.follow(this.#classes, { added: pending, updated: pending });
  }

  async syncClaim(key: string): Promise<undefined> {
    const claim = this.#claims.get(parseObjectKey(key));
    if (
      !claim ||
      (claim.metadata.deletionTimestamp !== undefined && claim.status.phase !== "Bound")
    )
      return;
    const step = claimStep(claim, {
      volumes: this.#volumes.list(),
      storageClass: this.#classes.get({ name: claim.spec.storageClassName ?? "" }),
    });
    try {
      await this.#execute(key, claim, step);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #execute(key: string, claim: PersistentVolumeClaim, step: ClaimStep): Promise<void> {
    switch (step.step) {
      case "bind":
        return await this.#bind(claim, step.volume);
      case "lose":
        if (claim.status.phase !== "Lost")
          this.#recordOnce(key, claim, {
            type: "Warning",
            reason: "ClaimLost",
            message: "Bound claim has lost its PersistentVolume. Data on the volume is lost!",
          });
        return await this.#phase(claim, { phase: "Lost" });
      case "provision":
        return await this.#requestProvisioning(key, claim, step.provisioner);
      case "wait":
        this.#recordOnce(key, claim, step);
        return await this.#phase(claim, { phase: "Pending" });
    }
  }

  async #requestProvisioning(
    key: string,
    claim: PersistentVolumeClaim,
    provisioner: string,
  ): Promise<void> {
    const { name, namespace, annotations } = claim.metadata;
    if (annotations?.[storageProvisioner] !== provisioner) {
      const both = {
        [storageProvisioner]: provisioner,
        [`volume.beta.kubernetes.io/storage-provisioner`]: provisioner,
      };
      await this.#client.patch(
        PersistentVolumeClaim,
        { name, namespace },
        { type: "merge", body: { metadata: { annotations: both } } },
      );
    }
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    this.#recordOnce(key, claim, { type: "Normal", reason: "ExternalProvisioning", message });
  }

  /** Writes the volume first, then the claim. What is written already is skipped. */
  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { name, namespace, uid } = claim.metadata;
    const address = { name, namespace };
    if (volume.spec.claimRef?.uid !== uid) {
      const claimRef = claimReference(claim);
      const annotations = isReservedFor(volume, claim)
        ? {}
        : { annotations: { [boundByController]: "yes" } };
      await this.#client.patch(PersistentVolume, volume.metadata.name, {
        type: "merge",
        body: {
          metadata: { resourceVersion: volume.metadata.resourceVersion, ...annotations },
          spec: { claimRef },
        },
      });
    }
    if (volume.status.phase !== "Bound") await this.#volumePhase(volume, "Bound");
    if (
      claim.spec.volumeName !== volume.metadata.name ||
      claim.metadata.annotations?.[bindCompleted] === undefined
    ) {
      const annotations = {
        [bindCompleted]: "yes",
        ...(claim.spec.volumeName ? {} : { [boundByController]: "yes" }),
      };
      await this.#client.patch(PersistentVolumeClaim, address, {
        type: "merge",
        body: { metadata: { uid, annotations }, spec: { volumeName: volume.metadata.name } },
      });
    }
    await this.#phase(claim, {
      phase: "Bound",
      accessModes: volume.spec.accessModes ?? [],
      capacity: volume.spec.capacity ?? {},
    });
  }

  async #phase(
    claim: PersistentVolumeClaim,
    status: {
      readonly phase: string;
      readonly accessModes?: readonly string[];
      readonly capacity?: object;
    },
  ): Promise<void> {
    if (claim.status.phase === status.phase) return;
    const { name, namespace, uid } = claim.metadata;
    await this.#client.patch(
      PersistentVolumeClaim,
      { name, namespace },
      { type: "merge", body: { metadata: { uid }, status } },
      { subresource: "status" },
    );
  }

  #recordOnce(
    key: string,
    claim: PersistentVolumeClaim,
    {
      type = "Normal",
      reason,
      message,
    }: {
      readonly type?: "Normal" | "Warning";
      readonly reason?: string;
      readonly message?: string;
    },
  ): void {
    if (reason === undefined || message === undefined || this.#lastMessages.get(key) === message)
      return;
    this.#lastMessages.set(key, message);
    this.#recorder.record({
      regarding: objectReference(PersistentVolumeClaim, claim),
      type,
      reason,
      note: message,
    });
  }

  async syncVolume(name: string): Promise<undefined> {
    const volume = this.#volumes.get({ name });
    if (!volume) return;
    const { claimRef } = volume.spec;
    const claim = claimRef?.uid
      ? this.#claims.get({ namespace: claimRef.namespace ?? "", name: claimRef.name ?? "" })
      : undefined;
    const phase = volumePhase(volume, claim);
    // The claim may exist and not be in the cache yet.
    if (
      phase === "Released" &&
      claimRef &&
      (
        await this.#client.find(PersistentVolumeClaim, {
          namespace: claimRef.namespace ?? "",
          name: claimRef.name ?? "",
        })
      )?.metadata.uid === claimRef.uid
    )
      return;
    if (phase === undefined || volume.status.phase === phase) return;
    try {
      await this.#volumePhase(volume, phase);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  async #volumePhase({ metadata }: PersistentVolume, phase: string): Promise<void> {
    await this.#client.patch(
      PersistentVolume,
      metadata.name,
      { type: "merge", body: { metadata: { uid: metadata.uid }, status: { phase } } },
      { subresource: "status" },
    );
  }
}
