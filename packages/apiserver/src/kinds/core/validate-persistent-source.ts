// Where a persistent volume is: exactly one source, and valid in itself. Most sources are those of
// pods; the ones whose secrets lie in namespaces of their own have rules of their own.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec,
// validate…PersistentVolumeSource).
import { isObject, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../apimachinery/errors/field-error.ts";
import {
  isSet,
  mutableAt,
  numberAt,
  optionalTextAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";
import {
  backstepErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  inRange,
  requiredName,
} from "../validation/field-rules.ts";
import { podValidationOptions } from "./pod/validation/pod-validation-options.ts";
import { isIscsiName } from "./pod/validation/volumes/validate-volume-plugins.ts";
import { validateVolumeSource } from "./pod/validation/volumes/validate-volume-source.ts";

/** In the order in which upstream looks. */
export const persistentSources = [
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

type SourceRule = (source: JsonObject, path: string, volumeName: string) => FieldError[];

/**
 * Every breach in the sources of `spec`, which is at `path`. A flex volume goes unnoticed beside
 * another source.
 */
export function validatePersistentSource(
  spec: JsonObject,
  path: string,
  volumeName: string,
): FieldError[] {
  const found = persistentSources.filter((source) => isObject(spec[source]));
  if (!found.length) return [required(path, "must specify a volume type")];
  return found.flatMap((source, i) => {
    if (i && source !== "flexVolume")
      return [
        forbidden(
          `${path}.${source === "cephfs" ? "cephFS" : source}`,
          "may not specify more than 1 volume type",
        ),
      ];
    const errors = validateOne(spec, source, path, volumeName);
    return source === "local" && !isSet(spec["nodeAffinity"])
      ? [...errors, required(`${path}.nodeAffinity`, "Local volume requires node affinity")]
      : errors;
  });
}

function validateOne(
  spec: JsonObject,
  source: string,
  path: string,
  volumeName: string,
): FieldError[] {
  const value = mutableAt(spec, source)!;
  const rule = own[source];
  if (rule) return rule(value, `${path}.${source}`, volumeName);
  return asInPods(source, value, path);
}

const asInPods = (source: string, value: JsonObject, path: string): FieldError[] =>
  validateVolumeSource({ [source]: value }, path, {
    volumeName: "",
    podName: "",
    options: podValidationOptions("template"),
  }).filter(({ field }) => field !== path);

const local: SourceRule = (source, path) => {
  const target = stringAt(source, "path");
  return target ? backstepErrors(target, `${path}.path`) : [required(`${path}.path`, "")];
};

/**
 * As in pods, but for one text about malformed names, the secret, and what is said to be too long.
 */
const iscsi: SourceRule = (source, path, volumeName) => {
  const portal = stringAt(source, "targetPortal");
  const iqn = stringAt(source, "iqn");
  const lun = numberAt(source, "lun");
  const initiator = optionalTextAt(source, "initiatorName");
  const secret = mutableAt(source, "secretRef");
  const authenticates = source["chapAuthDiscovery"] === true || source["chapAuthSession"] === true;
  const tooLong = initiator !== undefined && Buffer.byteLength(`${volumeName}:${portal}`) > 64;
  const named = (name: string, field: string): FieldError[] =>
    isIscsiName(name) ? [] : [invalid(`${path}.${field}`, name, "must be valid format")];
  return [
    ...requiredName(portal, `${path}.targetPortal`),
    ...(tooLong
      ? [
          invalid(
            `${path}.targetportal`,
            portal,
            "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
          ),
        ]
      : []),
    ...(iqn ? named(iqn, "iqn") : [required(`${path}.iqn`, "")]),
    ...inRange(lun, 0, 255, `${path}.lun`),
    ...(authenticates && !secret ? [required(`${path}.secretRef`, "")] : []),
    ...(secret ? requiredName(stringAt(secret, "name"), `${path}.secretRef.name`) : []),
    ...(initiator === undefined ? [] : named(initiator, "initiatorname")),
  ];
};

const glusterfs: SourceRule = (source, path) => {
  const namespace = optionalTextAt(source, "endpointsNamespace");
  const at = `${path}.endpointsNamespace`;
  return [
    ...requiredName(stringAt(source, "endpoints"), `${path}.endpoints`),
    ...requiredName(stringAt(source, "path"), `${path}.path`),
    ...(namespace === ""
      ? [invalid(at, "", "if the endpointnamespace is set, it must be a valid namespace name")]
      : []),
    ...(namespace ? dnsLabelErrors(namespace, at) : []),
  ];
};

/** Both parts of a reference, of any form. */
function secretParts(source: JsonObject, path: string): FieldError[] {
  const secret = mutableAt(source, "secretRef");
  return secret
    ? ["name", "namespace"].flatMap((part) =>
        requiredName(stringAt(secret, part), `${path}.secretRef.${part}`),
      )
    : [];
}

const cinder: SourceRule = (source, path) => [
  ...requiredName(stringAt(source, "volumeID"), `${path}.volumeID`),
  ...secretParts(source, path),
];

const azureFile: SourceRule = (source, path) => [
  ...["secretName", "shareName"].flatMap((field) =>
    requiredName(stringAt(source, field), `${path}.${field}`),
  ),
  ...(optionalTextAt(source, "secretNamespace") === ""
    ? [required(`${path}.secretNamespace`, "")]
    : []),
];

const storageos: SourceRule = (source, path) => {
  const name = stringAt(source, "volumeName");
  const namespace = stringAt(source, "volumeNamespace");
  return [
    ...(name ? dnsLabelErrors(name, `${path}.volumeName`) : [required(`${path}.volumeName`, "")]),
    ...(namespace ? dnsLabelErrors(namespace, `${path}.volumeNamespace`) : []),
    ...secretParts(source, path),
  ];
};

/** The secret for staging is not looked at. */
const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
];

const csi: SourceRule = (source, path) => [
  ...csiNameErrors(stringAt(source, "driver"), `${path}.driver`),
  ...requiredName(stringAt(source, "volumeHandle"), `${path}.volumeHandle`),
  ...csiSecrets.flatMap((field) => {
    const secret = mutableAt(source, field);
    if (!secret) return [];
    const [name, namespace] = [stringAt(secret, "name"), stringAt(secret, "namespace")];
    return [
      ...(name
        ? dnsSubdomainErrors(name, `${path}.${field}.name`)
        : [required(`${path}.${field}.name`, "")]),
      ...(namespace
        ? dnsLabelErrors(namespace, `${path}.${field}.namespace`)
        : [required(`${path}.${field}.namespace`, "")]),
    ];
  }),
];

const own: Readonly<Record<string, SourceRule>> = {
  azureFile,
  cinder,
  csi,
  glusterfs,
  iscsi,
  local,
  storageos,
};
