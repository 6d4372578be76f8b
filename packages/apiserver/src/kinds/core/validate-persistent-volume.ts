// Rules for the specs of persistent volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec),
// pkg/volume/validation/pv_validation.go.
import { dnsSubdomainFaults, equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { type FieldError, forbidden, invalid, notSupported, required } from "../../registry/field-error.ts";
import { goStructPointer, invalidPrinted } from "../object/format-struct.ts";
import { parseQuantity } from "../object/quantity.ts";
import { isSet, mutableAt, optionalTextAt, textMapAt, textsAt, withoutFields } from "../object/read-fields.ts";
import { immutable, stringAt } from "../object/strategy.ts";
import { formatNodeTerms } from "../object/format-node-terms.ts";
import { csiNameErrors } from "../storage/csi-node.ts";
import { podRules } from "./pod/pod-rules.ts";
import { validateNodeSelector } from "./pod/validate-affinity.ts";
import { validateVolumeSource } from "./pod/validate-volume-source.ts";
import { sortedEntries } from "./resource-rules.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const volumeModes = ["Block", "Filesystem"];
/** In the order in which upstream looks. */
const sources = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

/** Every breach. */
export function validateVolumeSpec(spec: JsonObject): FieldError[] {
  const className = stringAt(spec, "storageClassName");
  const policy = stringAt(spec, "persistentVolumeReclaimPolicy");
  const mode = optionalTextAt(spec, "volumeMode");
  return [
    ...accessErrors(textsAt(spec, "accessModes")),
    ...capacityErrors(textMapAt(spec, "capacity")),
    ...(policy && !reclaimPolicies.includes(policy) ? [notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies)] : []),
    ...affinityErrors(spec),
    ...sourceErrors(spec),
    ...(className ? dnsSubdomainFaults(className).map((fault) => invalid("spec.storageClassName", className, fault)) : []),
    ...(mode !== undefined && !volumeModes.includes(mode) ? [notSupported("spec.volumeMode", mode, volumeModes)] : []),
    ...attributesErrors(spec),
  ];
}

function accessErrors(modes: readonly string[]): FieldError[] {
  if (!modes.length) return [required("spec.accessModes", "")];
  const errors = modes.filter((mode) => !accessModes.includes(mode)).map((mode) => notSupported("spec.accessModes", mode, accessModes));
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && others ? [...errors, forbidden("spec.accessModes", "may not use ReadWriteOncePod with other access modes")] : errors;
}

function capacityErrors(capacity: Readonly<Record<string, string>>): FieldError[] {
  const names = Object.keys(capacity);
  const shown = names.length ? ({ ...capacity } as JsonObject) : null;
  return [
    ...(names.length ? [] : [required("spec.capacity", "")]),
    ...(names.length === 1 && names[0] === "storage" ? [] : [notSupported("spec.capacity", shown, ["storage"])]),
    ...sortedEntries(capacity).flatMap(([name, amount]) => {
      const { nano } = parseQuantity(amount);
      const path = `spec.capacity[${name}]`;
      return [...(nano < 0n ? [invalid(path, amount, "must be a valid resource quantity")] : []), ...(nano <= 0n ? [invalid(path, amount, "must be greater than zero")] : [])];
    }),
  ];
}

function affinityErrors(spec: JsonObject): FieldError[] {
  const affinity = mutableAt(spec, "nodeAffinity");
  if (!affinity) return [];
  return isObject(affinity["required"]) ? validateNodeSelector(affinity["required"], "spec.nodeAffinity.required") : [required("spec.nodeAffinity.required", "must specify required node constraints")];
}

function sourceErrors(spec: JsonObject): FieldError[] {
  const found = sources.filter((source) => isObject(spec[source]));
  if (!found.length) return [required("spec", "must specify a volume type")];
  const [first, ...more] = found;
  const errors = validateSource(spec, first!);
  const recycled = first === "hostPath" && /^\/+(?:\.\/*)*$/.test(stringAt(mutableAt(spec, "hostPath")!, "path")) && spec["persistentVolumeReclaimPolicy"] === "Recycle";
  return [
    ...errors,
    ...more.map((source) => forbidden(`spec.${source === "cephfs" ? "cephFS" : source}`, "may not specify more than 1 volume type")),
    ...(recycled ? [forbidden("spec.persistentVolumeReclaimPolicy", "may not be 'recycle' for a hostPath mount of '/'")] : []),
  ];
}

function validateSource(spec: JsonObject, source: string): FieldError[] {
  const value = mutableAt(spec, source)!;
  const path = `spec.${source}`;
  if (source === "csi") return csiErrors(value, path);
  if (source !== "local") return validateVolumeSource({ [source]: value }, "spec", { volumeName: "", podName: "", rules: podRules("template") }).filter(({ field }) => field !== "spec");
  const target = stringAt(value, "path");
  const pathErrors = target ? (target.split("/").includes("..") ? [invalid(`${path}.path`, target, "must not contain '..'")] : []) : [required(`${path}.path`, "")];
  return isSet(spec["nodeAffinity"]) ? pathErrors : [...pathErrors, required("spec.nodeAffinity", "Local volume requires node affinity")];
}

function csiErrors(csi: JsonObject, path: string): FieldError[] {
  const secrets = ["controllerPublishSecretRef", "controllerExpandSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"];
  return [
    ...csiNameErrors(stringAt(csi, "driver"), `${path}.driver`),
    ...(stringAt(csi, "volumeHandle") ? [] : [required(`${path}.volumeHandle`, "")]),
    ...secrets.flatMap((field) => {
      const secret = mutableAt(csi, field);
      return secret ? ["name", "namespace"].filter((part) => !stringAt(secret, part)).map((part) => required(`${path}.${field}.${part}`, "")) : [];
    }),
  ];
}

function attributesErrors(spec: JsonObject): FieldError[] {
  const name = optionalTextAt(spec, "volumeAttributesClassName");
  const path = "spec.volumeAttributesClassName";
  if (name === undefined) return [];
  const errors = name ? dnsSubdomainFaults(name).map((fault) => invalid(path, name, fault)) : [required(path, "an empty string is disallowed")];
  return isSet(spec["csi"]) ? errors : [...errors, required("spec.csi", "has to be specified when using volumeAttributesClassName")];
}

/** Where the volume is stays; upstream adds a listing of the differences, which is left out here. */
export function validateVolumeChange(spec: JsonObject, old: JsonObject): FieldError[] {
  const sourceOf = (each: JsonObject): JsonObject => Object.fromEntries(sources.flatMap((source) => (isSet(each[source]) ? [[source, expandable(source, each, old)]] : [])));
  const removed = isSet(old["volumeAttributesClassName"]) && !isSet(spec["volumeAttributesClassName"]);
  return [
    ...(equalJson(sourceOf(spec), sourceOf(old)) ? [] : [forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation\n")]),
    ...immutable("volumeMode", spec["volumeMode"], old["volumeMode"]),
    ...affinityChangeErrors(spec["nodeAffinity"], old["nodeAffinity"]),
    ...(removed ? [forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden")] : []),
  ];
}

/** Labels that had another name in their youth: https://kubernetes.io/docs/reference/labels-annotations-taints/. */
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
  const print = goStructPointer([["Required", "required", goStructPointer([["NodeSelectorTerms", "nodeSelectorTerms", formatNodeTerms]])]]);
  return isSame ? [] : [invalidPrinted("nodeAffinity", print(affinity), "field is immutable, except for updating from beta label to GA")];
}

/** `old` with the keys under which `now` knows them, place by place. */
function renamed(old: Json, now: Json): Json {
  if (Array.isArray(old)) return old.map((each, i) => renamed(each, Array.isArray(now) ? (now[i] ?? null) : null));
  if (!isObject(old)) return old;
  const next = isObject(now) ? now : {};
  const entries = Object.entries(old).map(([name, value]): [string, Json] => [
    name,
    name === "key" && renamedLabels.get(String(value)) === next[name] ? next[name]! : renamed(value, next[name] ?? null),
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
