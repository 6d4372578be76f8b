// Simulates every storage provisioner: creates a volume without storage for each claim that asks
// for one, and deletes it when it is released. Creates the default class `standard` if there is no
// class.
// Upstream: sigs.k8s.io/sig-storage-lib-external-provisioner/controller/controller.go, as far as
// others can see it.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { isAlreadyExists, parseObjectKey } from "homeostat/api";
import { eventsAbout } from "../../component-helpers/controller/events-about.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";
import {
  claimReference,
  isClaimBound,
  isDelayed,
  provisionedBy,
  selectedNode,
  storageProvisioner,
} from "../../component-helpers/storage/volume-binding.ts";
import {
  PersistentVolumeClaim,
  PersistentVolume,
  type PersistentVolumeManifest,
} from "homeostat/k8s/core/v1";
import { StorageClass } from "homeostat/k8s/storage/v1";

/** The provisioner of the default class, and the CSI driver of all volumes. */
const provisioner = "volumes.simulator.homeostat.dev";
const makeClass = "class?";

const standardClass = StorageClass(
  {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  { provisioner, reclaimPolicy: "Delete", volumeBindingMode: "WaitForFirstConsumer" },
);

/** Starts `volume-provisioner`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(context, "the volume provisioner");
  const client = context.client.with({ userAgent: "homeostat-provisioner" });
  const recorder = controller.createRecorder(provisioner);
  const claims = controller.acquire(PersistentVolumeClaim);
  const volumes = controller.acquire(PersistentVolume);
  const classes = controller.acquire(StorageClass);
  const enqueue = ({ key }: { readonly key: string }): void => controller.add(key);
  const enqueueClaims = (): void => claims.entries().forEach(enqueue);
  controller.follow(claims, { added: enqueue, updated: (_, claim) => enqueue(claim) });
  controller.follow(volumes, { added: enqueue, updated: (_, volume) => enqueue(volume) });
  controller.follow(classes, { added: enqueueClaims, updated: enqueueClaims });
  controller.add(makeClass);

  const provision = async (key: string): Promise<undefined> => {
    const claim = claims.get(parseObjectKey(key));
    const storageClass = claim && classes.get({ name: claim.spec.storageClassName ?? "" });
    if (!claim || !storageClass || !isWanted(claim, storageClass)) return;
    const volume = volumeFor(claim, storageClass);
    await client.create(PersistentVolume, volume).then(
      () =>
        eventsAbout(recorder, PersistentVolumeClaim, claim).normal(
          "ProvisioningSucceeded",
          `Successfully provisioned volume ${volume.metadata.name}`,
        ),
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
 * Whether a volume is to be provisioned for a claim. With delayed binding, a node must be selected
 * first.
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

/** Provisioned here, and released. */
const isLeft = ({ metadata, spec, status }: PersistentVolume): boolean =>
  status.phase === "Released" &&
  spec.persistentVolumeReclaimPolicy === "Delete" &&
  metadata.annotations?.[provisionedBy] !== undefined &&
  metadata.deletionTimestamp === undefined;

/** The volume for a claim: of the requested size, and reserved for it. */
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
