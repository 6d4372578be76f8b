// Plays every storage provisioner there could be: makes a volume, with nothing behind it, for each
// claim that asks for one, and removes it when it is released. Where no class is there it makes
// one, `standard`, which claims get by default.
// Upstream: sigs.k8s.io/sig-storage-lib-external-provisioner/controller/controller.go, as far as
// others can see it.
import { ignoreNotFound } from "../../../component-helpers/errors/ignore-not-found.ts";
import { isAlreadyExists, parseObjectKey } from "homeostat/api";
import { objectReference } from "homeostat/events";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import {
  claimReference,
  isClaimBound,
  isDelayed,
  provisionedBy,
  selectedNode,
  storageProvisioner,
} from "../../../component-helpers/storage/storage-objects.ts";
import {
  PersistentVolumeClaim,
  PersistentVolume,
  type PersistentVolumeManifest,
} from "homeostat/k8s/core/v1";
import { StorageClass } from "homeostat/k8s/storage/v1";

/** Which provisioner the class names that we make, and what drives every volume that we make. */
const provisioner = "volumes.simulator.homeostat.dev";
const makeClass = "class?";

const standardClass = StorageClass(
  {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  { provisioner, reclaimPolicy: "Delete", volumeBindingMode: "WaitForFirstConsumer" },
);

/** Starts the provisioner. */
export const startVolumeProvisioner: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the making of volumes");
  const client = context.client.with({ userAgent: "homeostat-provisioner" });
  const recorder = controller.createRecorder(provisioner);
  const claims = controller.acquire(PersistentVolumeClaim);
  const volumes = controller.acquire(PersistentVolume);
  const classes = controller.acquire(StorageClass);
  const wake = ({ key }: { readonly key: string }): void => controller.add(key);
  const wakeClaims = (): void => claims.entries().forEach(wake);
  controller.follow(claims, { added: wake, updated: (_, claim) => wake(claim) });
  controller.follow(volumes, { added: wake, updated: (_, volume) => wake(volume) });
  controller.follow(classes, { added: wakeClaims, updated: wakeClaims });
  controller.add(makeClass);

  const provision = async (key: string): Promise<undefined> => {
    const claim = claims.get(parseObjectKey(key));
    const storageClass = claim && classes.get({ name: claim.spec.storageClassName ?? "" });
    if (!claim || !storageClass || !isWanted(claim, storageClass)) return;
    const volume = volumeFor(claim, storageClass);
    await client.create(PersistentVolume, volume).then(
      () =>
        recorder.record({
          regarding: objectReference(PersistentVolumeClaim, claim),
          type: "Normal",
          reason: "ProvisioningSucceeded",
          note: `Successfully provisioned volume ${volume.metadata.name}`,
        }),
      (error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      },
    );
  };

  const remove = async (name: string): Promise<undefined> => {
    const volume = volumes.get({ name });
    if (!volume || !isLeft(volume)) return;
    await client.delete(PersistentVolume, name).catch(ignoreNotFound);
  };

  return controller.start(async (key) => {
    if (key !== makeClass) return key.includes("/") ? provision(key) : remove(key);
    if (classes.entries().length === 0) await client.create(StorageClass, standardClass);
    return undefined;
  });
};

/**
 * Whether a claim asks for a volume, and, where that has to wait for a pod, is told for which node.
 */
export function isWanted(claim: PersistentVolumeClaim, storageClass: StorageClass): boolean {
  const { metadata, spec } = claim;
  if (metadata.deletionTimestamp !== undefined || isClaimBound(claim) || spec.volumeName)
    return false;
  return (
    metadata.annotations?.[storageProvisioner] === storageClass.provisioner &&
    (!isDelayed(storageClass) || metadata.annotations[selectedNode] !== undefined)
  );
}

/** Ours, and nobody's any more. */
const isLeft = ({ metadata, spec, status }: PersistentVolume): boolean =>
  status.phase === "Released" &&
  spec.persistentVolumeReclaimPolicy === "Delete" &&
  metadata.annotations?.[provisionedBy] !== undefined &&
  metadata.deletionTimestamp === undefined;

/** The volume for a claim: as large as it asks for, and its own from the start. */
export function volumeFor(
  claim: PersistentVolumeClaim,
  { metadata: { name: className }, provisioner: asked, reclaimPolicy = "Delete" }: StorageClass,
): PersistentVolumeManifest {
  const { metadata, spec } = claim;
  const volume = `pvc-${metadata.uid}`;
  return PersistentVolume(
    { name: volume, annotations: { [provisionedBy]: asked } },
    {
      spec: {
        accessModes: spec.accessModes ?? [],
        capacity: { storage: spec.resources?.requests?.["storage"] ?? "0" },
        claimRef: claimReference(claim),
        csi: { driver: provisioner, volumeHandle: volume },
        persistentVolumeReclaimPolicy: reclaimPolicy,
        storageClassName: className,
        volumeMode: spec.volumeMode ?? "Filesystem",
      },
    },
  );
}
