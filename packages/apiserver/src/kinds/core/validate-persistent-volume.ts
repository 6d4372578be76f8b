// Rules for the specs of persistent volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeSpec), pkg/volume/validation/pv_validation.go.
import { dnsSubdomainFaults, equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  forbiddenChange,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { parseQuantity } from "../../apimachinery/values/quantity.ts";
import {
  isSet,
  mutableAt,
  optionalTextAt,
  textMapAt,
  textsAt,
  withoutFields,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { immutable } from "../definition/default-strategy.ts";
import { diffPrinted } from "../printers/unified-diff.ts";
import { validateNodeSelector } from "./pod/validation/validate-affinity.ts";
import { basicAmountErrors, sortedEntries } from "./resource-rules.ts";
import { persistentSources, validatePersistentSource } from "./validate-persistent-source.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];
/** Every breach of a volume's spec. */
export function validateVolumeSpec(spec: JsonObject, volumeName: string): FieldError[] {
  const className = stringAt(spec, "storageClassName");
  const policy = stringAt(spec, "persistentVolumeReclaimPolicy");
  const mode = optionalTextAt(spec, "volumeMode");
  return [
    ...accessErrors(textsAt(spec, "accessModes"), "spec"),
    ...capacityErrors(textMapAt(spec, "capacity")),
    ...(policy && !reclaimPolicies.includes(policy)
      ? [notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)]
      : []),
    ...affinityErrors(spec),
    ...validatePersistentSource(spec, "spec", volumeName),
    ...recycleErrors(spec, "spec"),
    ...(className
      ? dnsSubdomainFaults(className).map((fault) =>
          invalid("spec.storageClassName", className, fault),
        )
      : []),
    ...(mode !== undefined && !volumeModes.includes(mode)
      ? [notSupported("spec.volumeMode", mode, volumeModes)]
      : []),
    ...attributesErrors(spec, "spec"),
  ];
}

/**
 * Every breach of a volume that is written where it is used, in a volume attachment: it has no life
 * of its own.
 */
export function validateInlineVolumeSpec(spec: JsonObject, path: string): FieldError[] {
  const foreign = (field: string): FieldError =>
    forbidden(`${path}.${field}`, "may not be specified in the context of inline volumes");
  const policy = stringAt(spec, "persistentVolumeReclaimPolicy");
  const mode = optionalTextAt(spec, "volumeMode");
  return [
    ...(isSet(spec["claimRef"]) ? [foreign("claimRef")] : []),
    ...(Object.keys(textMapAt(spec, "capacity")).length ? [foreign("capacity")] : []),
    ...(isSet(spec["csi"])
      ? []
      : [required(`${path}.csi`, "has to be specified in the context of inline volumes")]),
    ...accessErrors(textsAt(spec, "accessModes"), path),
    ...(policy && policy !== "Retain"
      ? [
          forbidden(
            `${path}.persistentVolumeReclaimPolicy`,
            "may only be Retain in the context of inline volumes",
          ),
        ]
      : []),
    ...(isSet(spec["nodeAffinity"]) ? [foreign("nodeAffinity")] : []),
    ...validatePersistentSource({ ...spec, nodeAffinity: null }, path, ""),
    ...recycleErrors(spec, path),
    ...(stringAt(spec, "storageClassName") ? [foreign("storageClassName")] : []),
    ...(mode !== undefined && mode !== "Filesystem"
      ? [
          forbidden(
            `${path}.volumeMode`,
            "may not specify volumeMode other than Filesystem in the context of inline volumes",
          ),
        ]
      : []),
  ];
}

function accessErrors(modes: readonly string[], path: string): FieldError[] {
  const at = `${path}.accessModes`;
  if (!modes.length) return [required(at, "")];
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(at, mode, accessModes));
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && others
    ? [...errors, forbidden(at, "may not use ReadWriteOncePod with other access modes")]
    : errors;
}

function capacityErrors(capacity: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(capacity);
  const shown = names.length ? ({ ...capacity } as JsonObject) : null;
  return [
    ...(names.length ? [] : [required("spec.capacity", "")]),
    ...(names.length === 1 && names[0] === "storage"
      ? []
      : [notSupported("spec.capacity", shown, ["storage"])]),
    ...sortedEntries(capacity).flatMap(([name, amount]) => {
      const path = `spec.capacity[${name}]`;
      return [
        ...basicAmountErrors(amount, path),
        ...(parseQuantity(amount).nano <= 0n
          ? [invalid(path, amount, "must be greater than zero")]
          : []),
      ];
    }),
  ];
}

function affinityErrors(spec: JsonObject): FieldError[] {
  const affinity = mutableAt(spec, "nodeAffinity");
  if (!affinity) return [];
  return isObject(affinity["required"])
    ? validateNodeSelector(affinity["required"], "spec.nodeAffinity.required")
    : [required("spec.nodeAffinity.required", "must specify required node constraints")];
}

function recycleErrors(spec: JsonObject, path: string): FieldError[] {
  const host = mutableAt(spec, "hostPath");
  const isRoot = host !== undefined && /^\/+(?:\.\/*)*$/.test(stringAt(host, "path"));
  return isRoot && spec["persistentVolumeReclaimPolicy"] === "Recycle"
    ? [
        forbidden(
          `${path}.persistentVolumeReclaimPolicy`,
          "may not be 'recycle' for a hostPath mount of '/'",
        ),
      ]
    : [];
}

/** Sources that cannot be mounted with options of one's own. */
const optionless = [
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

/** Options for mounting, as an annotation. */
export function validateMountOptions(object: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const sources = persistentSources.filter((source) => isSet(spec[source]));
  if (
    textMapAt(metadataOf(object), "annotations")[optionsAnnotation] === undefined ||
    sources.some((source) => !optionless.includes(source))
  )
    return [];
  return [
    forbidden(
      `metadata.annotations.${optionsAnnotation}`,
      "may not specify mount options for this volume type",
    ),
  ];
}

function attributesErrors(spec: JsonObject, parent: string): FieldError[] {
  const name = optionalTextAt(spec, "volumeAttributesClassName");
  const path = `${parent}.volumeAttributesClassName`;
  if (name === undefined) return [];
  const errors = name
    ? dnsSubdomainFaults(name).map((fault) => invalid(path, name, fault))
    : [required(path, "an empty string is disallowed")];
  return isSet(spec["csi"])
    ? errors
    : [
        ...errors,
        required(`${parent}.csi`, "has to be specified when using volumeAttributesClassName"),
      ];
}

/** The volume source is immutable, but for the fields that an expansion changes. */
export function validateVolumeChange(spec: JsonObject, old: JsonObject): FieldError[] {
  const sourceOf = (each: JsonObject): JsonObject =>
    Object.fromEntries(
      persistentSources.flatMap((source) =>
        isSet(each[source]) ? [[source, expandable(source, each, old)]] : [],
      ),
    );
  const removed =
    isSet(old["volumeAttributesClassName"]) && !isSet(spec["volumeAttributesClassName"]);
  return [
    ...(equalJson(sourceOf(spec), sourceOf(old))
      ? []
      : [
          forbiddenChange(
            "spec.persistentvolumesource",
            "spec.persistentvolumesource is immutable after creation",
            {
              type: "core.PersistentVolumeSource",
              before: old,
              after: { ...spec, ...sourceOf(spec) },
              diff: diffPrinted,
            },
          ),
        ]),
    ...immutable("volumeMode", spec["volumeMode"], old["volumeMode"]),
    ...affinityChangeErrors(spec["nodeAffinity"], old["nodeAffinity"]),
    ...(removed
      ? [
          forbidden(
            "spec.volumeAttributesClassName",
            "update from non-nil value to nil is forbidden",
          ),
        ]
      : []),
  ];
}

/**
 * Labels that had another name in their youth:
 * https://kubernetes.io/docs/reference/labels-annotations-taints/.
 */
const renamedLabels: ReadonlyMap<string, string> = new Map([
  ["failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"],
  ["failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"],
  ["beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"],
  ["beta.kubernetes.io/os", "kubernetes.io/os"],
  ["beta.kubernetes.io/arch", "kubernetes.io/arch"],
]);

/** An affinity that was set stays, but for labels that go over to their present names. */
function affinityChangeErrors(affinity: Json | undefined, old: Json | undefined): FieldError[] {
  if (!isSet(old)) return [];
  const isSame = equalJson(affinity ?? null, renamed(old, affinity ?? null));
  return isSame
    ? []
    : [
        invalidInternal(
          "nodeAffinity",
          ["*core.VolumeNodeAffinity", affinity],
          "field is immutable, except for updating from beta label to GA",
        ),
      ];
}

/** `old` with the keys under which `now` knows them, place by place. */
function renamed(old: Json, now: Json): Json {
  if (Array.isArray(old))
    return old.map((each, i) => renamed(each, Array.isArray(now) ? (now[i] ?? null) : null));
  if (!isObject(old)) return old;
  const next = isObject(now) ? now : {};
  const entries = Object.entries(old).map(([name, value]): [string, Json] => [
    name,
    name === "key" && renamedLabels.get(String(value)) === next[name]
      ? next[name]!
      : renamed(value, next[name] ?? null),
  ]);
  return Object.fromEntries(entries);
}

/** A secret for expansion may be added where there was none. */
function expandable(source: string, spec: JsonObject, old: JsonObject): JsonObject {
  const value = mutableAt(spec, source)!;
  const before = mutableAt(old, "csi");
  if (source !== "csi" || !before || isSet(before["controllerExpandSecretRef"])) return value;
  return withoutFields(value, "controllerExpandSecretRef");
}
