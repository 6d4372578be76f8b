// Protects VolumeAttributesClasses that a volume or a claim names from deletion, by a finalizer.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/vacprotection/vac_protection_controller.go.
import { parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { PersistentVolume, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { VolumeAttributesClass } from "homeostat/k8s/storage/v1";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../../component-helpers/controller/controller.ts";
import type { ApiObject } from "../../../component-helpers/meta/api-object.ts";
import { nextFinalizers, withFinalizers } from "./protection-finalizers.ts";

const finalizer = "kubernetes.io/vac-protection";

/** Starts `volumeattributesclass-protection-controller`. */
export const start: Start = async (context) => {
  const controller = new KeyedController(
    context,
    "the volumeattributesclass-protection controller",
  );
  const classes = controller.acquire(VolumeAttributesClass);
  const claims = controller.acquire(PersistentVolumeClaim);
  const volumes = controller.acquire(PersistentVolume);
  const enqueue = (one: CachedObject<ApiObject>): void => {
    if (nextFinalizers(one.read(), finalizer, () => false)) controller.add(one.key);
  };
  controller.follow(classes, { added: enqueue, updated: (_, one) => enqueue(one) });
  followUsers(controller, claims, classesOfClaim);
  followUsers(controller, volumes, classesOfVolume);
  return controller.start(async (key) => {
    const one = classes.get(parseObjectKey(key));
    const finalizers =
      one &&
      nextFinalizers(one, finalizer, () =>
        [claims, volumes].some((informer) => informer.entriesByIndex("class", key).length > 0),
      );
    if (finalizers)
      await context.client.update(VolumeAttributesClass, withFinalizers(one, finalizers));
    return undefined;
  });
};

/** Indexes objects by the classes that they name, and enqueues a class that one no longer names. */
function followUsers<O>(
  controller: KeyedController,
  users: Informer<Kind<O>>,
  classesOf: (user: O) => readonly string[],
): void {
  users.addIndex("class", classesOf);
  controller.follow(users, {
    updated(old, user) {
      const kept = classesOf(user.read());
      for (const name of classesOf(old.read())) if (!kept.includes(name)) controller.add(name);
    },
    deleted: (user) => classesOf(user.read()).forEach((name) => controller.add(name)),
  });
}

/** The classes that a claim requests, has, and is being changed to. */
export function classesOfClaim({
  spec,
  status,
}: Pick<PersistentVolumeClaim, "spec" | "status">): readonly string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.flatMap((name) => name || []))];
}

const classesOfVolume = ({ spec }: PersistentVolume): readonly string[] =>
  spec.volumeAttributesClassName ? [spec.volumeAttributesClassName] : [];
