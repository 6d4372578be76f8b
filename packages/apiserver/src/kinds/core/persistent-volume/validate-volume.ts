// The spec of a persistent volume.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeSpec), pkg/volume/validation/pv_validation.go.
import {
  type Decoded,
  dnsSubdomainFaults,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
} from "homeostat/api";
import type { PersistentVolume, PersistentVolumeSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { parseQuantity } from "../../../apimachinery/values/quantity.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { immutable } from "../../validation/validate-object.ts";
import { diffPrinted } from "../../printers/unified-diff.ts";
import { validateNodeSelector } from "../pod/validation/validate-affinity.ts";
import { nameOf } from "../../printers/cells.ts";
import { basicQuantityErrors, sortedEntries } from "../resources/validate-resource-lists.ts";
import {
  type PersistentSource,
  persistentSources,
  validatePersistentSource,
} from "./validate-persistent-source.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];

/** Every error of a volume. */
export const validateVolume = (volume: Decoded<PersistentVolume>): FieldError[] => [
  ...validateVolumeSpec(volume.spec ?? {}, nameOf(volume)),
  ...validateMountOptions(volume),
];

function validateVolumeSpec(spec: Decoded<PersistentVolumeSpec>, volumeName: string): FieldError[] {
  const className = spec.storageClassName ?? "";
  const policy = spec.persistentVolumeReclaimPolicy ?? "";
  const mode = spec.volumeMode ?? undefined;
  return [
    ...accessErrors(spec.accessModes ?? [], "spec"),
    ...capacityErrors(spec.capacity),
    ...errorIf(policy && !reclaimPolicies.includes(policy), () =>
      fieldError.notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies),
    ),
    ...affinityErrors(spec),
    ...validatePersistentSource(spec, "spec", volumeName),
    ...recycleErrors(spec, "spec"),
    ...(className
      ? dnsSubdomainFaults(className).map((fault) =>
          fieldError.invalid("spec.storageClassName", className, fault),
        )
      : []),
    ...errorIf(mode !== undefined && !volumeModes.includes(mode), () =>
      fieldError.notSupported("spec.volumeMode", mode, volumeModes),
    ),
    ...attributesErrors(spec, "spec"),
  ];
}

/** Every error of the spec of an inline volume, as in a VolumeAttachment. */
export function validateInlineVolumeSpec(
  spec: Decoded<PersistentVolumeSpec>,
  path: string,
): FieldError[] {
  const forbiddenInline = (field: string): FieldError =>
    fieldError.forbidden(
      `${path}.${field}`,
      "may not be specified in the context of inline volumes",
    );
  const policy = spec.persistentVolumeReclaimPolicy ?? "";
  const mode = spec.volumeMode ?? undefined;
  return [
    ...(isSet(spec.claimRef) ? [forbiddenInline("claimRef")] : []),
    ...(Object.keys(spec.capacity ?? {}).length ? [forbiddenInline("capacity")] : []),
    ...errorIf(!isSet(spec.csi), () =>
      fieldError.required(`${path}.csi`, "has to be specified in the context of inline volumes"),
    ),
    ...accessErrors(spec.accessModes ?? [], path),
    ...errorIf(policy && policy !== "Retain", () =>
      fieldError.forbidden(
        `${path}.persistentVolumeReclaimPolicy`,
        "may only be Retain in the context of inline volumes",
      ),
    ),
    ...(isSet(spec.nodeAffinity) ? [forbiddenInline("nodeAffinity")] : []),
    ...validatePersistentSource({ ...spec, nodeAffinity: null }, path, ""),
    ...recycleErrors(spec, path),
    ...((spec.storageClassName ?? "") ? [forbiddenInline("storageClassName")] : []),
    ...errorIf(mode !== undefined && mode !== "Filesystem", () =>
      fieldError.forbidden(
        `${path}.volumeMode`,
        "may not specify volumeMode other than Filesystem in the context of inline volumes",
      ),
    ),
  ];
}

function accessErrors(modes: readonly string[], path: string): FieldError[] {
  const at = `${path}.accessModes`;
  if (!modes.length) return [fieldError.required(at, "")];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => fieldError.notSupported(at, mode, accessModes));
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && others
    ? [...errors, fieldError.forbidden(at, "may not use ReadWriteOncePod with other access modes")]
    : errors;
}

function capacityErrors(shown: Readonly<Record<string, string>> | null | undefined): FieldError[] {
  const capacity = shown ?? {};
  const names = Object.keys(capacity);
  return [
    ...errorIf(!names.length, () => fieldError.required("spec.capacity", "")),
    ...errorIf(names.length !== 1 || names[0] !== "storage", () =>
      fieldError.notSupported("spec.capacity", shown, ["storage"]),
    ),
    ...sortedEntries(capacity).flatMap(([name, amount]) => {
      const path = `spec.capacity[${name}]`;
      return [
        ...basicQuantityErrors(amount, path),
        ...errorIf(parseQuantity(amount).nano <= 0n, () =>
          fieldError.invalid(path, amount, "must be greater than zero"),
        ),
      ];
    }),
  ];
}

function affinityErrors(spec: Decoded<PersistentVolumeSpec>): FieldError[] {
  const affinity = spec.nodeAffinity;
  if (!affinity) return [];
  return affinity.required
    ? validateNodeSelector(affinity.required, "spec.nodeAffinity.required")
    : [fieldError.required("spec.nodeAffinity.required", "must specify required node constraints")];
}

function recycleErrors(spec: Decoded<PersistentVolumeSpec>, path: string): FieldError[] {
  const host = spec.hostPath ?? undefined;
  const isRoot = host !== undefined && /^\/+(?:\.\/*)*$/.test(host.path ?? "");
  return errorIf(isRoot && spec.persistentVolumeReclaimPolicy === "Recycle", () =>
    fieldError.forbidden(
      `${path}.persistentVolumeReclaimPolicy`,
      "may not be 'recycle' for a hostPath mount of '/'",
    ),
  );
}

/** Sources without mount options. */
const sourcesWithoutOptions: readonly string[] = [
  "hostPath",
  "flocker",
  "fc",
  "flexVolume",
  "portworxVolume",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];
const optionsAnnotation = "volume.beta.kubernetes.io/mount-options";

/** The annotation with mount options. */
function validateMountOptions(object: Decoded<PersistentVolume>): FieldError[] {
  const spec = object.spec ?? {};
  const sources = persistentSources.filter((source) => isSet(spec[source]));
  if (
    (object.metadata?.annotations ?? {})[optionsAnnotation] === undefined ||
    sources.some((source) => !sourcesWithoutOptions.includes(source))
  )
    return [];
  return [
    fieldError.forbidden(
      `metadata.annotations.${optionsAnnotation}`,
      "may not specify mount options for this volume type",
    ),
  ];
}

function attributesErrors(spec: Decoded<PersistentVolumeSpec>, parent: string): FieldError[] {
  const name = spec.volumeAttributesClassName ?? undefined;
  const path = `${parent}.volumeAttributesClassName`;
  if (name === undefined) return [];
  const errors = name
    ? dnsSubdomainFaults(name).map((fault) => fieldError.invalid(path, name, fault))
    : [fieldError.required(path, "an empty string is disallowed")];
  return isSet(spec.csi)
    ? errors
    : [
        ...errors,
        fieldError.required(
          `${parent}.csi`,
          "has to be specified when using volumeAttributesClassName",
        ),
      ];
}

/** Every error of a change, with those of the spec, which upstream validates once more. */
export const validateVolumeUpdate = (
  volume: Decoded<PersistentVolume>,
  old: Decoded<PersistentVolume>,
): FieldError[] => [
  ...validateVolumeSpec(volume.spec ?? {}, nameOf(volume)),
  ...validateVolumeSpecUpdate(volume.spec ?? {}, old.spec ?? {}),
];

/** The source is immutable, but for the fields that an expansion changes. */
function validateVolumeSpecUpdate(
  spec: Decoded<PersistentVolumeSpec>,
  old: Decoded<PersistentVolumeSpec>,
): FieldError[] {
  const sourceOf = (each: Decoded<PersistentVolumeSpec>): JsonObject =>
    Object.fromEntries(
      persistentSources.flatMap((source) =>
        isSet(each[source]) ? [[source, comparableSource(source, each, old)]] : [],
      ),
    );
  const removed = isSet(old.volumeAttributesClassName) && !isSet(spec.volumeAttributesClassName);
  return [
    ...errorIf(!equalJson(sourceOf(spec), sourceOf(old)), () =>
      fieldError.forbiddenChange(
        "spec.persistentvolumesource",
        "spec.persistentvolumesource is immutable after creation",
        {
          type: "core.PersistentVolumeSource",
          before: old,
          after: { ...spec, ...sourceOf(spec) },
          diff: diffPrinted,
        },
      ),
    ),
    ...immutable("volumeMode", spec.volumeMode, old.volumeMode),
    ...affinityChangeErrors(spec.nodeAffinity, old.nodeAffinity),
    ...errorIf(removed, () =>
      fieldError.forbidden(
        "spec.volumeAttributesClassName",
        "update from non-nil value to nil is forbidden",
      ),
    ),
  ];
}

/**
 * Beta labels and their GA names:
 * https://kubernetes.io/docs/reference/labels-annotations-taints/.
 */
const gaLabels: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
  ["beta.kubernetes.io/os", "kubernetes.io/os"],
  ["beta.kubernetes.io/arch", "kubernetes.io/arch"],
]);

/** A node affinity is immutable, except that beta labels may become GA labels. */
function affinityChangeErrors(affinity: Json | undefined, old: Json | undefined): FieldError[] {
  if (!isSet(old)) return [];
  const isSame = equalJson(affinity ?? null, renamed(old, affinity ?? null));
  return errorIf(!isSame, () =>
    fieldError.invalidInternal(
      "nodeAffinity",
      ["*core.VolumeNodeAffinity", affinity],
      "field is immutable, except for updating from beta label to GA",
    ),
  );
}

/**
 * `old` with each beta label replaced where `now` has its GA name. As upstream, a label that is
 * none of them has an empty GA name.
 */
function renamed(old: Json, now: Json): Json {
  if (Array.isArray(old))
    return old.map((each, i) => renamed(each, Array.isArray(now) ? (now[i] ?? null) : null));
  if (!isObject(old)) return old;
  const next = isObject(now) ? now : {};
  const entries = Object.entries(old).map(([name, value]): [string, Json] => [
    name,
    name === "key" && (gaLabels.get(String(value)) ?? "") === next[name]
      ? next[name]!
      : renamed(value, next[name] ?? null),
  ]);
  return Object.fromEntries(entries);
}

/** The source without a secret for expansion that the update may add. */
function comparableSource(
  source: PersistentSource,
  spec: Decoded<PersistentVolumeSpec>,
  old: Decoded<PersistentVolumeSpec>,
): Json {
  if (source !== "csi" || !old.csi || isSet(old.csi.controllerExpandSecretRef))
    return spec[source] ?? null;
  const { controllerExpandSecretRef: _, ...rest } = spec.csi ?? {};
  return rest;
}
