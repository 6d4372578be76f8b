// Validation of the source of a volume: exactly one. Sources are validated in upstream's order: the
// first counts, each further one is refused by its kind.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateVolumeSource).
import { type Decoded, dnsSubdomainFaults } from "homeostat/api";
import type {
  CSIVolumeSource,
  ConfigMapVolumeSource,
  DownwardAPIVolumeSource,
  EmptyDirVolumeSource,
  EphemeralVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  NFSVolumeSource,
  SecretVolumeSource,
  Volume,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import {
  eachItem,
  errorIf,
  type FieldError,
  quoteGo,
} from "../../../../../apimachinery/errors/field-error.ts";
import { isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import {
  backstepErrors,
  descendingPathErrors,
  dnsSubdomainErrors,
  fileModeErrors,
  requiredName,
  requiredValid,
} from "../../../../validation/field-rules.ts";
import { keyToPathErrors } from "./validate-key-to-path.ts";
import type { PodValidationOptions } from "../options/pod-validation-options.ts";
import { nanoOf } from "../../../resources/resource-lists.ts";
import { validateClaimTemplate } from "../../../persistent-volume-claim/validate-claim-template.ts";
import { validateDownwardFile } from "./validate-downward-api.ts";
import { validateProjected } from "./validate-projected-volume.ts";
import { pullPolicyErrors } from "./validate-pull-policy.ts";
import {
  validateAzureDisk,
  validateDiskPartition,
  validateFibreChannel,
  validateFlexVolume,
  validateFlocker,
  validateInitiatorLength,
  validateIscsi,
  validateQuobyte,
  validateSecretRef,
  validateStorageOs,
} from "./validate-volume-plugins.ts";

/** The volume and the pod that a source belongs to. */
export interface VolumePlace {
  readonly volumeName: string;
  /** Name of the pod, where there is one. */
  readonly podName: string;
  readonly options: PodValidationOptions;
}

type SourceField = Exclude<keyof Volume, "name">;
type SourceRule<S> = (source: S, path: string, place: VolumePlace) => FieldError[];

/** Upstream misspells some paths, which clients see. */
interface SourceEntry {
  readonly field: SourceField;
  /** Validates the source of the volume at `path`. */
  readonly validate: (volume: Decoded<Volume>, path: string, place: VolumePlace) => FieldError[];
  readonly refusedAs: string;
}

/** Validates the source of a volume at `path`. */
export function validateVolumeSource(
  volume: Decoded<Volume>,
  path: string,
  place: VolumePlace,
): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const { field, validate, refusedAs } of entries) {
    if (!isSet(volume[field])) continue;
    if (found && field !== "emptyDir")
      errors.push(
        fieldError.forbidden(`${path}.${refusedAs}`, "may not specify more than 1 volume type"),
      );
    else {
      found++;
      errors.push(...validate(volume, path, place));
    }
    if (field === "iscsi" && volume.iscsi)
      errors.push(...validateInitiatorLength(volume.iscsi, path, place.volumeName));
  }
  return found ? errors : [...errors, fieldError.required(path, "must specify a volume type")];
}

function entry<F extends SourceField>(
  field: F,
  rule: SourceRule<NonNullable<Decoded<Volume>[F]>>,
  { path: child = field, refusedAs = field }: { path?: string; refusedAs?: string } = {},
): SourceEntry {
  return {
    field,
    refusedAs,
    validate(volume, path, place) {
      const source = volume[field];
      return source ? rule(source, `${path}.${child}`, place) : [];
    },
  };
}

/** The named fields must not be empty. */
const needs =
  <S extends object>(...fields: readonly (keyof S & string)[]): SourceRule<S> =>
  (source, path) =>
    fields
      .filter((field) => {
        const value: unknown = source[field];
        return !value || (Array.isArray(value) && !value.length);
      })
      .map((field) => fieldError.required(`${path}.${field}`, ""));

function fileErrors(
  source: Decoded<Pick<ConfigMapVolumeSource | SecretVolumeSource, "defaultMode" | "items">>,
  path: string,
): FieldError[] {
  return [
    ...fileModeErrors(source.defaultMode ?? undefined, `${path}.defaultMode`),
    ...eachItem(source.items, `${path}.items`, keyToPathErrors),
  ];
}

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

const hostPath: SourceRule<Decoded<HostPathVolumeSource>> = (source, path) => {
  const target = source.path ?? "";
  if (!target) return [fieldError.required(`${path}.path`, "")];
  const type = source.type ?? undefined;
  return [
    ...backstepErrors(target, `${path}.path`),
    ...errorIf(type !== undefined && !hostPathTypes.includes(type), () =>
      fieldError.notSupported(`${path}.type`, type, hostPathTypes),
    ),
  ];
};

const nfs: SourceRule<Decoded<NFSVolumeSource>> = (source, path) => [
  ...requiredName(source.server ?? "", `${path}.server`),
  ...requiredName(source.path ?? "", `${path}.path`),
  ...errorIf(!(source.path ?? "").startsWith("/"), () =>
    fieldError.invalid(`${path}.path`, source.path ?? "", "must be an absolute path"),
  ),
];

const csi: SourceRule<Decoded<CSIVolumeSource>> = (source, path) => {
  const driver = source.driver ?? "";
  const secret = source.nodePublishSecretRef;
  const errors = driver
    ? [
        ...errorIf(driver.length > 63, () => fieldError.tooLong(`${path}.driver`, 63)),
        ...dnsSubdomainFaults(driver.toLowerCase()).map((fault) =>
          fieldError.invalid(`${path}.driver`, driver, fault),
        ),
      ]
    : [fieldError.required(`${path}.driver`, "")];
  if (!secret) return errors;
  return secret.name
    ? [...errors, ...dnsSubdomainErrors(secret.name, `${path}.name`)]
    : [...errors, fieldError.required(`${path}.nodePublishSecretRef.name`, "")];
};

const ephemeral: SourceRule<Decoded<EphemeralVolumeSource>> = (
  source,
  path,
  { podName, volumeName },
) => {
  const template = source.volumeClaimTemplate;
  const claim = `${podName}-${volumeName}`;
  const nameFaults = podName && volumeName ? dnsSubdomainFaults(claim) : [];
  return [
    ...requiredValid(validateClaimTemplate, template, `${path}.volumeClaimTemplate`),
    ...nameFaults.map((fault) =>
      fieldError.invalid(
        `${path.slice(0, -".ephemeral".length)}.name`,
        volumeName,
        `PVC name ${quoteGo(claim)}: ${fault}`,
      ),
    ),
  ];
};

const emptyDir: SourceRule<Decoded<EmptyDirVolumeSource>> = (source, path) =>
  errorIf(isSet(source.sizeLimit) && nanoOf(source.sizeLimit) < 0n, () =>
    fieldError.forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity"),
  );

const gitRepo: SourceRule<Decoded<GitRepoVolumeSource>> = (source, path) => [
  ...requiredName(source.repository ?? "", `${path}.repository`),
  ...descendingPathErrors(source.directory ?? "", `${path}.directory`),
];

const downward: SourceRule<Decoded<DownwardAPIVolumeSource>> = (source, path) => [
  ...fileModeErrors(source.defaultMode ?? undefined, `${path}.defaultMode`),
  ...(source.items ?? []).flatMap((file) => validateDownwardFile(file, path)),
];

const image: SourceRule<Decoded<ImageVolumeSource>> = (source, path, { options }) => [
  ...errorIf(options.isPod && !source.reference, () =>
    fieldError.required(`${path}.reference`, ""),
  ),
  ...pullPolicyErrors(source.pullPolicy ?? "", `${path}.pullPolicy`),
];

const entries: readonly SourceEntry[] = [
  entry("emptyDir", emptyDir),
  entry("hostPath", hostPath),
  entry("gitRepo", gitRepo),
  entry(
    "gcePersistentDisk",
    (source, path) => [
      ...requiredName(source.pdName ?? "", `${path}.pdName`),
      ...validateDiskPartition(source, path),
    ],
    { path: "persistentDisk" },
  ),
  entry("awsElasticBlockStore", (source, path) => [
    ...requiredName(source.volumeID ?? "", `${path}.volumeID`),
    ...validateDiskPartition(source, path),
  ]),
  entry("secret", (source, path) => [
    ...requiredName(source.secretName ?? "", `${path}.secretName`),
    ...fileErrors(source, path),
  ]),
  entry("nfs", nfs),
  entry("iscsi", validateIscsi),
  entry("glusterfs", needs("endpoints", "path")),
  entry("flocker", validateFlocker),
  entry("persistentVolumeClaim", needs("claimName")),
  entry("rbd", needs("monitors", "image")),
  entry("cinder", (source, path) => [
    ...requiredName(source.volumeID ?? "", `${path}.volumeID`),
    ...validateSecretRef(source, path),
  ]),
  entry("cephfs", needs("monitors"), { refusedAs: "cephFS" }),
  entry("quobyte", validateQuobyte),
  entry("downwardAPI", downward, { refusedAs: "downwarAPI" }),
  entry("fc", validateFibreChannel),
  entry("flexVolume", validateFlexVolume),
  entry("configMap", (source, path) => [
    ...requiredName(source.name ?? "", `${path}.name`),
    ...fileErrors(source, path),
  ]),
  entry("azureFile", needs("secretName", "shareName")),
  entry("vsphereVolume", needs("volumePath")),
  entry("photonPersistentDisk", needs("pdID")),
  entry("portworxVolume", needs("volumeID")),
  entry("azureDisk", validateAzureDisk),
  entry("storageos", validateStorageOs),
  entry("projected", validateProjected),
  entry("scaleIO", needs("gateway", "system", "volumeName")),
  entry("csi", csi),
  entry("ephemeral", ephemeral),
  entry("image", image),
];
