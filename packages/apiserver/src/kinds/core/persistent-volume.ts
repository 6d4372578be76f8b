// Persistent volumes. Creation includes the admission plug-in StorageObjectInUseProtection.
// Upstream: k8s.io/kubernetes/pkg/registry/core/persistentvolume/strategy.go,
// pkg/apis/core/v1/defaults.go, pkg/api/persistentvolume/util.go,
// plugin/pkg/admission/storage/storageobjectinuseprotection.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type { PersistentVolume, PersistentVolumeSpec } from "homeostat/k8s/core/v1";
import { eachItem } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { nodeLabelMessage } from "../validation/deprecated-node-labels.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { keepOld, statusResetStrategy } from "../definition/default-strategy.ts";
import {
  finalizerErrors,
  metadataErrors,
  validateWholeObject,
} from "../validation/validate-object.ts";
import * as persistentStorage from "./persistent-volume/persistent-storage.ts";
import { setPersistentSourceDefaults } from "./pod/defaults/volume-defaults.ts";
import { validateVolume, validateVolumeUpdate } from "./persistent-volume/validate-volume.ts";

export const persistentVolume: KindDefinition<Decoded<PersistentVolume>> = {
  ...gvk("v1", "PersistentVolume"),
  returnsDeletedObject: true,
  defaults(object) {
    const status = (object.status ??= {});
    status.phase ||= "Pending";
    const { spec } = object;
    if (!spec) return;
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
    setPersistentSourceDefaults(spec);
  },
  strategy: {
    ...statusResetStrategy,
    prepareForCreate(object, { now }) {
      object.status = { phase: "Pending", lastPhaseTransitionTime: now };
      persistentStorage.addFinalizer(object, "kubernetes.io/pv-protection");
    },
    ...validateWholeObject({
      namespaced: false,
      metadataChanges: "common",
      validate: validateVolume,
      // Upstream validates the whole object twice.
      validateChange: (object, old) => [
        ...metadataErrors(object, { namespaced: false }),
        ...validateVolumeUpdate(object, old),
      ],
    }),
    warningsOnCreate: volumeWarnings,
    warningsOnUpdate: volumeWarnings,
  },
  subresources: {
    status: {
      resetFields: [["f:spec"]],
      prepareForUpdate(object, old, { now }) {
        keepOld(object, old, "spec");
        setTransitionTime(object, old, now);
      },
      metadataChanges: "repeated",
      validateUpdate: finalizerErrors,
    },
  },
  cells,
};

/** Sets the time of a phase change that the request has not set. */
function setTransitionTime(
  object: Decoded<PersistentVolume>,
  old: Decoded<PersistentVolume>,
  now: string,
): void {
  const [status, before] = [object.status ?? {}, old.status ?? {}];
  const given = status.lastPhaseTransitionTime;
  if ((status.phase ?? "") === (before.phase ?? "")) {
    if (!isSet(given)) keepOld(status, before, "lastPhaseTransitionTime");
  } else if (!isSet(given) || given === before.lastPhaseTransitionTime)
    status.lastPhaseTransitionTime = now;
}

const removedPlugins: readonly (readonly [keyof PersistentVolumeSpec, string])[] = [
  ["cephfs", "deprecated in v1.28, non-functional in v1.31+"],
  ["photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"],
  ["scaleIO", "deprecated in v1.16, non-functional in v1.22+"],
  ["storageos", "deprecated in v1.22, non-functional in v1.25+"],
  ["glusterfs", "deprecated in v1.25, non-functional in v1.26+"],
  ["rbd", "deprecated in v1.28, non-functional in v1.31+"],
];

function volumeWarnings(volume: Decoded<PersistentVolume>): string[] {
  const { metadata, spec } = volume;
  const annotations = metadata?.annotations ?? {};
  return [
    ...persistentStorage.classAnnotationWarnings(volume),
    ...(annotations["volume.beta.kubernetes.io/mount-options"] === undefined
      ? []
      : [
          'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
        ]),
    ...(spec?.persistentVolumeReclaimPolicy === "Recycle"
      ? [
          "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.",
        ]
      : []),
    ...nodeLabelWarnings(spec ?? {}),
    ...removedPlugins.flatMap(([field, message]) =>
      isSet(spec?.[field])
        ? [`spec.${field === "storageos" ? "storageOS" : field}: ${message}`]
        : [],
    ),
  ];
}

function nodeLabelWarnings({ nodeAffinity }: Decoded<PersistentVolumeSpec>): string[] {
  const terms = nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return eachItem(terms, "spec.nodeAffinity.required.nodeSelectorTerms", (term, at) =>
    eachItem(term.matchExpressions, `${at}.matchExpressions`, ({ key }, at) => {
      const message = nodeLabelMessage(key ?? "");
      return message ? [`${at}.key: ${key} is ${message}`] : [];
    }),
  );
}

function cells(object: Decoded<PersistentVolume>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const status = object.status ?? {};
  const claim = spec.claimRef;
  const phase = isSet(object.metadata?.deletionTimestamp) ? "Terminating" : (status.phase ?? "");
  return [
    nameOf(object),
    spec.capacity?.storage ?? "0",
    persistentStorage.formatAccessModes(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? "",
    phase,
    claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "",
    persistentStorage.classOf(object),
    spec.volumeAttributesClassName ?? "<unset>",
    status.reason ?? "",
    ageOf(object, ages),
    spec.volumeMode ?? "<unset>",
  ];
}
