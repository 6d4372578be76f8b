// The source of a persistent volume: exactly one, and valid. Most sources are validated as those of
// pods; the ones that refer to secrets with a namespace differ.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePersistentVolumeSpec,
// validate…PersistentVolumeSource).
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeSpec, SecretReference } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { csiNameErrors } from "../../validation/csi-driver-name.ts";
import {
  backstepErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  inRange,
  requiredName,
  requiredValid,
} from "../../validation/field-rules.ts";
import { podValidationOptions } from "../pod/validation/options/pod-validation-options.ts";
import { isIscsiName } from "../pod/validation/volumes/validate-volume-plugins.ts";
import { validateVolumeSource } from "../pod/validation/volumes/validate-volume-source.ts";

/** In the order of upstream's validation. */
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
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** The field of a source. */
export type PersistentSource = (typeof persistentSources)[number];
type SourceOf<S extends PersistentSource> = Decoded<NonNullable<PersistentVolumeSpec[S]>>;
type Validate<S extends PersistentSource> = (
  source: SourceOf<S>,
  path: string,
  volumeName: string,
) => FieldError[];

/** Every error in the sources of `spec`. Upstream accepts a flex volume beside another source. */
export function validatePersistentSource(
  spec: Decoded<PersistentVolumeSpec>,
  path: string,
  volumeName: string,
): FieldError[] {
  const found = persistentSources.filter((source) => isSet(spec[source]));
  if (!found.length) return [fieldError.required(path, "must specify a volume type")];
  return found.flatMap((source, i) => {
    if (i && source !== "flexVolume")
      return [
        fieldError.forbidden(
          `${path}.${source === "cephfs" ? "cephFS" : source}`,
          "may not specify more than 1 volume type",
        ),
      ];
    const errors = validateOne(spec, source, path, volumeName);
    return source === "local" && !isSet(spec.nodeAffinity)
      ? [
          ...errors,
          fieldError.required(`${path}.nodeAffinity`, "Local volume requires node affinity"),
        ]
      : errors;
  });
}

function validateOne(
  spec: Decoded<PersistentVolumeSpec>,
  source: PersistentSource,
  path: string,
  volumeName: string,
): FieldError[] {
  const value = spec[source] as SourceOf<PersistentSource>;
  const validate = validators[source] as Validate<PersistentSource> | undefined;
  if (validate) return validate(value, `${path}.${source}`, volumeName);
  return validateAsInPods(source, value, path);
}

const validateAsInPods = (
  source: PersistentSource,
  value: SourceOf<PersistentSource>,
  path: string,
): FieldError[] =>
  validateVolumeSource({ [source]: value }, path, {
    volumeName: "",
    podName: "",
    options: podValidationOptions("template"),
  }).filter(({ field }) => field !== path);

const local: Validate<"local"> = (source, path) => {
  const target = source.path ?? "";
  return target
    ? backstepErrors(target, `${path}.path`)
    : [fieldError.required(`${path}.path`, "")];
};

/** Differs from pods in one message about malformed names, the secret, and the length limit. */
const iscsi: Validate<"iscsi"> = (source, path, volumeName) => {
  const portal = source.targetPortal ?? "";
  const iqn = source.iqn ?? "";
  const lun = source.lun ?? 0;
  const initiator = source.initiatorName ?? undefined;
  const secret = source.secretRef ?? undefined;
  const authenticates = source.chapAuthDiscovery === true || source.chapAuthSession === true;
  const tooLong = initiator !== undefined && Buffer.byteLength(`${volumeName}:${portal}`) > 64;
  const named = (name: string, field: string): FieldError[] =>
    errorIf(!isIscsiName(name), () =>
      fieldError.invalid(`${path}.${field}`, name, "must be valid format"),
    );
  return [
    ...requiredName(portal, `${path}.targetPortal`),
    ...errorIf(tooLong, () =>
      fieldError.invalid(
        `${path}.targetportal`,
        portal,
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
      ),
    ),
    ...(iqn ? named(iqn, "iqn") : [fieldError.required(`${path}.iqn`, "")]),
    ...inRange(lun, 0, 255, `${path}.lun`),
    ...errorIf(authenticates && !secret, () => fieldError.required(`${path}.secretRef`, "")),
    ...(secret ? requiredName(secret.name ?? "", `${path}.secretRef.name`) : []),
    ...(initiator === undefined ? [] : named(initiator, "initiatorname")),
  ];
};

const glusterfs: Validate<"glusterfs"> = (source, path) => {
  const namespace = source.endpointsNamespace ?? undefined;
  const at = `${path}.endpointsNamespace`;
  return [
    ...requiredName(source.endpoints ?? "", `${path}.endpoints`),
    ...requiredName(source.path ?? "", `${path}.path`),
    ...errorIf(namespace === "", () =>
      fieldError.invalid(
        at,
        "",
        "if the endpointnamespace is set, it must be a valid namespace name",
      ),
    ),
    ...(namespace ? dnsLabelErrors(namespace, at) : []),
  ];
};

/** Requires name and namespace, of any form. */
const validateSecretParts = (
  secret: Decoded<SecretReference> | null | undefined,
  path: string,
): FieldError[] =>
  secret
    ? [
        ...requiredName(secret.name ?? "", `${path}.secretRef.name`),
        ...requiredName(secret.namespace ?? "", `${path}.secretRef.namespace`),
      ]
    : [];

const cinder: Validate<"cinder"> = (source, path) => [
  ...requiredName(source.volumeID ?? "", `${path}.volumeID`),
  ...validateSecretParts(source.secretRef, path),
];

const azureFile: Validate<"azureFile"> = (source, path) => [
  ...requiredName(source.secretName ?? "", `${path}.secretName`),
  ...requiredName(source.shareName ?? "", `${path}.shareName`),
  ...errorIf(source.secretNamespace === "", () =>
    fieldError.required(`${path}.secretNamespace`, ""),
  ),
];

const storageos: Validate<"storageos"> = (source, path) => {
  const name = source.volumeName ?? "";
  const namespace = source.volumeNamespace ?? "";
  return [
    ...requiredValid(dnsLabelErrors, name, `${path}.volumeName`),
    ...(namespace ? dnsLabelErrors(namespace, `${path}.volumeNamespace`) : []),
    ...validateSecretParts(source.secretRef, path),
  ];
};

/** Upstream does not validate nodeStageSecretRef. */
const csiSecrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

const csi: Validate<"csi"> = (source, path) => [
  ...csiNameErrors(source.driver ?? "", `${path}.driver`),
  ...requiredName(source.volumeHandle ?? "", `${path}.volumeHandle`),
  ...csiSecrets.flatMap((field) => {
    const secret = source[field];
    if (!secret) return [];
    const [name, namespace] = [secret.name ?? "", secret.namespace ?? ""];
    return [
      ...requiredValid(dnsSubdomainErrors, name, `${path}.${field}.name`),
      ...requiredValid(dnsLabelErrors, namespace, `${path}.${field}.namespace`),
    ];
  }),
];

const validators: { readonly [S in PersistentSource]?: Validate<S> } = {
  azureFile,
  cinder,
  csi,
  glusterfs,
  iscsi,
  local,
  storageos,
};
