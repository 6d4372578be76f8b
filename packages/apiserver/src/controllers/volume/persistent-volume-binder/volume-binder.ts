// Binds claims to volumes, and requests dynamic provisioning of missing volumes.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/persistentvolume/pv_controller.go.
import { isConflict, isNotFound, parseObjectKey } from "homeostat/api";
import { objectReference } from "homeostat/events";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start, ControllerContext } from "../../../component-helpers/controller/controller.ts";
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
export const start: Start = async (context) => new PersistentVolumeController(context);

class PersistentVolumeController extends KeyedController {
  readonly #recorder = this.createRecorder("persistentvolume-controller");
  readonly #claims = this.acquire(PersistentVolumeClaim);
  readonly #volumes = this.acquire(PersistentVolume);
  readonly #classes = this.acquire(StorageClass);
  /** The last message about a claim, by key: it is not repeated. */
  readonly #lastMessages = new Map<string, string>();

  constructor(context: ControllerContext) {
    super(context, "the persistentvolume-binder controller");
    const pending = (): void =>
      this.#claims
        .entries()
        .forEach((entry) => entry.read().status.phase !== "Bound" && this.add(entry.key));
    const enqueueVolumeOf = (claim: PersistentVolumeClaim): void => {
      if (claim.spec.volumeName) this.add(claim.spec.volumeName);
    };
    this.follow(this.#claims, {
      added: ({ key }) => this.add(key),
      updated: (_, { key }) => this.add(key),
      deleted: (claim) => {
        this.#lastMessages.delete(claim.key);
        enqueueVolumeOf(claim.read());
      },
    });
    const volume = ({ key }: { readonly key: string }): void => {
      this.add(key);
      pending();
    };
    const gone = (): void => this.#claims.entries().forEach(({ key }) => this.add(key));
    this.follow(this.#volumes, {
      added: volume,
      updated: (_, one) => volume(one),
      deleted: gone,
    });
    this.follow(this.#classes, { added: pending, updated: pending });
    this.start((key) => (isVolumeKey(key) ? this.#syncVolume(key) : this.#syncClaim(key)));
  }

  async #syncClaim(key: string): Promise<undefined> {
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
      await this.context.client.patch(
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
      await this.context.client.patch(PersistentVolume, volume.metadata.name, {
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
      await this.context.client.patch(PersistentVolumeClaim, address, {
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
    await this.context.client.patch(
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

  async #syncVolume(name: string): Promise<undefined> {
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
        await this.context.client.find(PersistentVolumeClaim, {
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
    await this.context.client.patch(
      PersistentVolume,
      metadata.name,
      { type: "merge", body: { metadata: { uid: metadata.uid }, status: { phase } } },
      { subresource: "status" },
    );
  }
}
