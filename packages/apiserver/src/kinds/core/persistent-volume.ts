// Persistent volumes. What the admission plug-in StorageObjectInUseProtection does is part of
// creation here.
// Upstream: k8s.io/kubernetes/pkg/registry/core/persistentvolume/strategy.go,
// pkg/apis/core/v1/defaults.go, pkg/api/persistentvolume/util.go,
// plugin/pkg/admission/storage/storageobjectinuseprotection.
import type { Json, JsonObject } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  optionalTextAt,
  setIfEmpty,
  setIfNil,
  textMapAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, keepOld } from "../definition/default-strategy.ts";
import { accessModesOf, addFinalizer, classAnnotation, classOf } from "./persistent-storage.ts";
import { setPersistentSourceDefaults } from "./pod/defaults/volume-defaults.ts";
import {
  validateMountOptions,
  validateVolumeChange,
  validateVolumeSpec,
} from "./validate-persistent-volume.ts";

export const persistentVolume: KindDefinition = {
  group: "",
  version: "v1",
  kind: "PersistentVolume",
  returnsDeletedObject: true,
  defaults(object) {
    if (!isSet(object["status"])) object["status"] = {};
    setIfEmpty(objectAt(object, "status"), "phase", "Pending");
    const spec = mutableAt(object, "spec");
    if (!spec) return;
    setIfEmpty(spec, "persistentVolumeReclaimPolicy", "Retain");
    setIfNil(spec, "volumeMode", "Filesystem");
    setPersistentSourceDefaults(spec);
  },
  strategy: {
    resetFields: [["f:status"]],
    prepareForCreate(object, { now }) {
      object["status"] = { phase: "Pending", lastPhaseTransitionTime: now };
      addFinalizer(object, "kubernetes.io/pv-protection");
    },
    prepareForUpdate: (object, old) => keepOld(object, old, "status"),
    validateCreate: (object, context) =>
      warned(object, context, [
        ...finalizerErrors(object),
        ...validateVolumeSpec(objectAt(object, "spec"), nameOf(object)),
        ...validateMountOptions(object),
      ]),
    validateUpdate: (object, old, context) =>
      warned(object, context, [
        ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validateVolumeSpec(objectAt(object, "spec"), nameOf(object)),
        ...validateMountOptions(object),
        ...validateVolumeSpec(objectAt(object, "spec"), nameOf(object)),
        ...validateVolumeChange(objectAt(object, "spec"), objectAt(old, "spec")),
      ]),
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate(object, old, { now }) {
        keepOld(object, old, "spec");
        dateTransition(objectAt(object, "status"), objectAt(old, "status"), now);
      },
      validateUpdate: () => [],
    },
  },
  cells,
};

function dateTransition(status: JsonObject, old: JsonObject, now: string): void {
  const field = "lastPhaseTransitionTime";
  const given = status[field];
  if (stringAt(status, "phase") === stringAt(old, "phase")) {
    if (!isSet(given)) keepOld(status, old, field);
  } else if (!isSet(given) || given === old[field]) status[field] = now;
}

const gone: readonly (readonly [string, string])[] = [
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  const spec = objectAt(object, "spec");
  const annotations = textMapAt(metadataOf(object), "annotations");
  if (annotations[classAnnotation] !== undefined)
    context.warn(
      `metadata.annotations[${classAnnotation}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  if (annotations["volume.beta.kubernetes.io/mount-options"] !== undefined)
    context.warn(
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
    );
  if (stringAt(spec, "persistentVolumeReclaimPolicy") === "Recycle")
    context.warn(
      "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
    );
  itemsAt(objectAt(objectAt(spec, "nodeAffinity"), "required"), "nodeSelectorTerms").forEach(
    (term, i) =>
      itemsAt(term, "matchExpressions").forEach((expression, j) => {
        const key = stringAt(expression, "key");
        const message = nodeLabelMessage(key);
        if (message)
          context.warn(
            `spec.nodeAffinity.required.nodeSelectorTerms[${i}].matchExpressions[${j}].key: ${key} is ${message}`,
          );
      }),
  );
  for (const [field, message] of gone)
    if (isSet(spec[field]))
      context.warn(`spec.${field === "storageos" ? "storageOS" : field}: ${message}`);
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const claim = mutableAt(spec, "claimRef");
  const phase = isSet(metadataOf(object)["deletionTimestamp"])
    ? "Terminating"
    : stringAt(status, "phase");
  return [
    nameOf(object),
    textMapAt(spec, "capacity")["storage"] ?? "0",
    accessModesOf(spec),
    stringAt(spec, "persistentVolumeReclaimPolicy"),
    phase,
    claim ? `${stringAt(claim, "namespace")}/${stringAt(claim, "name")}` : "",
    classOf(object),
    optionalTextAt(spec, "volumeAttributesClassName") ?? "<unset>",
    stringAt(status, "reason"),
    ageOf(object, nowMs),
    optionalTextAt(spec, "volumeMode") ?? "<unset>",
  ];
}
