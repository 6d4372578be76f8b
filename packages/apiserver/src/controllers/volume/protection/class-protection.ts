// Keeps a VolumeAttributesClass from going while a volume or a claim names it, by the finalizer
// that it is given here.
// Upstream: k8s.io/kubernetes/pkg/controller/volume/vacprotection/vac_protection_controller.go.
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { dynamicKind } from "homeostat/client";
import { KeyedController } from "../../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../../component-helpers/controller/controller.ts";
import type {
  Workload,
  WorkloadKind,
} from "../../../component-helpers/workloads/workload-objects.ts";
import { nextFinalizers } from "./volume-protection.ts";

/** A PersistentVolumeClaim or a PersistentVolume, as far as it names classes. */
export interface ClassUser extends Workload {
  readonly spec?: { readonly volumeAttributesClassName?: string };
  readonly status?: {
    readonly currentVolumeAttributesClassName?: string;
    readonly modifyVolumeStatus?: { readonly targetVolumeAttributesClassName?: string };
  };
}

const classKind = dynamicKind({
  apiVersion: "storage.k8s.io/v1",
  kind: "VolumeAttributesClass",
  resource: "volumeattributesclasses",
  scope: "Cluster",
}) as WorkloadKind<Workload>;
const claimKind = dynamicKind({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  resource: "persistentvolumeclaims",
  scope: "Namespaced",
}) as WorkloadKind<ClassUser>;
const volumeKind = dynamicKind({
  apiVersion: "v1",
  kind: "PersistentVolume",
  resource: "persistentvolumes",
  scope: "Cluster",
}) as WorkloadKind<ClassUser>;
const finalizer = "kubernetes.io/vac-protection";

/** Starts the protection of classes of volume attributes. */
export const startClassProtection: ControllerDescriptor["start"] = async (context) => {
  const controller = new KeyedController(context, "the protection of classes of volume attributes");
  const classes = controller.acquire(classKind);
  const users = [controller.acquire(claimKind), controller.acquire(volumeKind)];
  const wake = (one: CachedObject<Workload>): void => {
    if (nextFinalizers(one.read(), finalizer, () => false)) controller.add(one.key);
  };
  controller.follow(classes, { added: wake, updated: (_, one) => wake(one) });
  for (const informer of users) {
    informer.addIndex("class", classNames);
    controller.follow(informer, {
      updated(old, now) {
        const kept = classNames(now.read());
        for (const name of classNames(old.read())) if (!kept.includes(name)) controller.add(name);
      },
      deleted: (user) => classNames(user.read()).forEach((name) => controller.add(name)),
    });
  }
  return controller.start(async (key) => {
    const one = classes.get(parseObjectKey(key));
    const finalizers =
      one &&
      nextFinalizers(one, finalizer, () =>
        users.some((informer) => informer.byIndex("class", key).length > 0),
      );
    if (finalizers)
      await context.client.update(classKind, { ...one, metadata: { ...one.metadata, finalizers } });
    return undefined;
  });
};

/** What a claim wants, has, and is being changed to; what a volume has. */
export function classNames({ spec, status }: ClassUser): readonly string[] {
  const names = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.flatMap((name) => (name ? [name] : [])))];
}
