// Keeps a VolumeAttributesClass from going while a volume or a claim names it, by the finalizer
// that it is given here.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/vacprotection/vac_protection_controller.go.
import { parseObjectKey, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import { PersistentVolume, PersistentVolumeClaim } from "homeostat/k8s/core/v1";
import { VolumeAttributesClass } from "homeostat/k8s/storage/v1";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import type { ApiObject } from "../../../component-helpers/meta/api-object.ts";
import { nextFinalizers } from "./volume-protection.ts";

const finalizer = "kubernetes.io/vac-protection";

/** Starts the protection of classes of volume attributes. */
export const startClassProtection: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the protection of classes of volume attributes");
  const classes = controller.acquire(VolumeAttributesClass);
  const claims = controller.acquire(PersistentVolumeClaim);
  const volumes = controller.acquire(PersistentVolume);
  const wake = (one: CachedObject<ApiObject>): void => {
    if (nextFinalizers(one.read(), finalizer, () => false)) controller.add(one.key);
  };
  controller.follow(classes, { added: wake, updated: (_, one) => wake(one) });
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
      await context.client.update(VolumeAttributesClass, {
        ...one,
        metadata: { ...one.metadata, finalizers },
      });
    return undefined;
  });
};

/** Indexes the objects that name classes, and adds a class that one of them no longer names. */
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
