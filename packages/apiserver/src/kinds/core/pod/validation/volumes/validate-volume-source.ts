// The source of a volume: exactly one, and valid in itself. Sources are checked in upstream's
// order: the first counts, each further one is refused by its kind.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateVolumeSource).
import { dnsSubdomainFaults, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  quoteGo,
  required,
  tooLong,
} from "../../../../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  optionalTextAt,
  stringAt,
} from "../../../../../apimachinery/meta/read-fields.ts";
import {
  backstepErrors,
  descendingPathErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  fileModeErrors,
  inRange,
  requiredName,
} from "../../../../validation/field-rules.ts";
import { keyToPathErrors } from "./validate-key-to-path.ts";
import type { PodValidationOptions } from "../pod-validation-options.ts";
import { nanoOf } from "../../../resources/resource-lists.ts";
import { validateClaimTemplate } from "../../../persistent-volume-claim/validate-claim-template.ts";
import { validateDownwardFile } from "./validate-downward-api.ts";
import { validateProjected } from "./validate-projected-volume.ts";
import { pullPolicyErrors } from "../containers/validate-pull-policy.ts";

/** What a source is checked with. */
export interface VolumePlace {
  readonly volumeName: string;
  /** Name of the pod, where there is one. */
  readonly podName: string;
  readonly rules: PodValidationOptions;
}

type SourceRule = (source: JsonObject, path: string, place: VolumePlace) => FieldError[];

/** Upstream misspells some paths; those are what clients see. */
interface SourceEntry {
  readonly field: string;
  readonly rule: SourceRule;
  readonly path?: string;
  readonly refusedAs?: string;
}

/** The whole source. */
export function validateVolumeSource(
  volume: JsonObject,
  path: string,
  place: VolumePlace,
): FieldError[] {
  const errors: FieldError[] = [];
  let found = 0;
  for (const { field, rule, path: child = field, refusedAs = field } of entries) {
    const source = mutableAt(volume, field);
    if (!source) continue;
    if (found && field !== "emptyDir")
      errors.push(forbidden(`${path}.${refusedAs}`, "may not specify more than 1 volume type"));
    else {
      found++;
      errors.push(...rule(source, `${path}.${child}`, place));
    }
    if (field === "iscsi") errors.push(...initiatorLength(source, path, place.volumeName));
  }
  return found ? errors : [...errors, required(path, "must specify a volume type")];
}

/** The named fields must not be empty. */
const needs =
  (...fields: readonly string[]): SourceRule =>
  (source, path) =>
    fields
      .filter(
        (field) => !source[field] || (Array.isArray(source[field]) && !hasItems(source[field])),
      )
      .map((field) => required(`${path}.${field}`, ""));

const keyed =
  (name: string): SourceRule =>
  (source, path) => [
    ...requiredName(stringAt(source, name), `${path}.${name}`),
    ...fileModeErrors(optionalNumberAt(source, "defaultMode"), `${path}.defaultMode`),
    ...itemsAt(source, "items").flatMap((item, i) => keyToPathErrors(item, `${path}.items[${i}]`)),
  ];

const disk =
  (name: string): SourceRule =>
  (source, path) => {
    const partition = numberAt(source, "partition");
    return [
      ...requiredName(stringAt(source, name), `${path}.${name}`),
      ...(partition < 0 || partition > 255
        ? [invalid(`${path}.partition`, partition, "must be between 1 and 255, inclusive")]
        : []),
    ];
  };

const secretName: SourceRule = (source, path) => {
  const reference = mutableAt(source, "secretRef");
  return reference && !stringAt(reference, "name") ? [required(`${path}.secretRef.name`, "")] : [];
};

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

const hostPath: SourceRule = (source, path) => {
  const target = stringAt(source, "path");
  if (!target) return [required(`${path}.path`, "")];
  const type = optionalTextAt(source, "type");
  return [
    ...backstepErrors(target, `${path}.path`),
    ...(type !== undefined && !hostPathTypes.includes(type)
      ? [notSupported(`${path}.type`, type, hostPathTypes)]
      : []),
  ];
};

const nfs: SourceRule = (source, path) => [
  ...needs("server", "path")(source, path, noPlace),
  ...(stringAt(source, "path").startsWith("/")
    ? []
    : [invalid(`${path}.path`, stringAt(source, "path"), "must be an absolute path")]),
];

const iqnForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

/** Whether a name is of one of the three forms that iSCSI knows. */
export const isIscsiName = (name: string): boolean =>
  iqnForms[name.slice(0, 3)]?.test(name) ?? false;

function iqnErrors(name: string, path: string): FieldError[] {
  const form = iqnForms[name.slice(0, 3)];
  if (!form) return [invalid(path, name, "must be valid format starting with iqn, eui, or naa")];
  return form.test(name) ? [] : [invalid(path, name, "must be valid format")];
}

const iscsi: SourceRule = (source, path) => {
  const iqn = stringAt(source, "iqn");
  const initiator = optionalTextAt(source, "initiatorName");
  const needsSecret =
    (source["chapAuthDiscovery"] === true || source["chapAuthSession"] === true) &&
    !isSet(source["secretRef"]);
  return [
    ...requiredName(stringAt(source, "targetPortal"), `${path}.targetPortal`),
    ...(iqn ? iqnErrors(iqn, `${path}.iqn`) : [required(`${path}.iqn`, "")]),
    ...inRange(numberAt(source, "lun"), 0, 255, `${path}.lun`),
    ...(needsSecret ? [required(`${path}.secretRef`, "")] : []),
    ...(initiator === undefined ? [] : iqnErrors(initiator, `${path}.initiatorname`)),
  ];
};

function initiatorLength(source: JsonObject, path: string, name: string): FieldError[] {
  if (
    !isSet(source["initiatorName"]) ||
    Buffer.byteLength(`${name}:${stringAt(source, "targetPortal")}`) <= 64
  )
    return [];
  return [
    invalid(
      `${path}.name`,
      name,
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    ),
  ];
}

const fibreChannel: SourceRule = (source, path) => {
  const names = hasItems(source["targetWWNs"]);
  const ids = hasItems(source["wwids"]);
  const lun = optionalNumberAt(source, "lun");
  return [
    ...(names || ids
      ? []
      : [required(`${path}.targetWWNs`, "must specify either targetWWNs or wwids, but not both")]),
    ...(names && ids
      ? [
          invalid(
            `${path}.targetWWNs`,
            source["targetWWNs"],
            "targetWWNs and wwids can not be specified simultaneously",
          ),
        ]
      : []),
    ...(names
      ? lun === undefined
        ? [required(`${path}.lun`, "lun is required if targetWWNs is specified")]
        : inRange(lun, 0, 255, `${path}.lun`)
      : []),
  ];
};

const flocker: SourceRule = (source, path) => {
  const name = stringAt(source, "datasetName");
  const uuid = stringAt(source, "datasetUUID");
  return [
    ...(name || uuid ? [] : [required(path, "one of datasetName and datasetUUID is required")]),
    ...(name && uuid
      ? [
          invalid(
            path,
            "resource",
            "datasetName and datasetUUID can not be specified simultaneously",
          ),
        ]
      : []),
    ...(name.includes("/") ? [invalid(`${path}.datasetName`, name, "must not contain '/'")] : []),
  ];
};

const hostPorts = "must be a host:port pair or multiple pairs separated by commas";

const quobyte: SourceRule = (source, path) => {
  const registry = stringAt(source, "registry");
  const errors = !registry
    ? [required(`${path}.registry`, hostPorts)]
    : stringAt(source, "tenant").length >= 65
      ? [required(`${path}.tenant`, "must be a UUID and may not exceed a length of 64 characters")]
      : registry
          .split(",")
          .filter((pair) => !/^(?:\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair))
          .map(() => invalid(`${path}.registry`, registry, hostPorts));
  return [...errors, ...requiredName(stringAt(source, "volume"), `${path}.volume`)];
};

const flexVolume: SourceRule = (source, path) => {
  const reserved = (key: string): boolean =>
    /\.(?:kubernetes|k8s)\.io$/.test(`.${(key.split("/", 1)[0] ?? "").toLowerCase()}`);
  const options = Object.keys(mutableAt(source, "options") ?? {});
  return [
    ...requiredName(stringAt(source, "driver"), `${path}.driver`),
    ...options
      .filter(reserved)
      .map((key) =>
        invalid(`${path}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"),
      ),
  ];
};

const azureDisk: SourceRule = (source, path) => {
  const caching = optionalTextAt(source, "cachingMode");
  const kind = optionalTextAt(source, "kind");
  const uri = stringAt(source, "diskURI");
  return [
    ...needs("diskName", "diskURI")(source, path, noPlace),
    ...(caching !== undefined && !["None", "ReadOnly", "ReadWrite"].includes(caching)
      ? [notSupported(`${path}.cachingMode`, caching, ["None", "ReadOnly", "ReadWrite"])]
      : []),
    ...(kind !== undefined && !["Dedicated", "Managed", "Shared"].includes(kind)
      ? [notSupported(`${path}.kind`, kind, ["Dedicated", "Managed", "Shared"])]
      : []),
    ...(kind === "Managed" && !uri.startsWith("/subscriptions/")
      ? [
          notSupported(`${path}.diskURI`, uri, [
            "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
          ]),
        ]
      : []),
    ...(kind !== undefined && kind !== "Managed" && !uri.startsWith("https://")
      ? [
          notSupported(`${path}.diskURI`, uri, [
            "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
          ]),
        ]
      : []),
  ];
};

const storageOs: SourceRule = (source, path, place) => {
  const name = stringAt(source, "volumeName");
  const namespace = stringAt(source, "volumeNamespace");
  return [
    ...(name ? dnsLabelErrors(name, `${path}.volumeName`) : [required(`${path}.volumeName`, "")]),
    ...(namespace ? dnsLabelErrors(namespace, `${path}.volumeNamespace`) : []),
    ...secretName(source, path, place),
  ];
};

const csi: SourceRule = (source, path) => {
  const driver = stringAt(source, "driver");
  const secret = mutableAt(source, "nodePublishSecretRef");
  const name = secret && stringAt(secret, "name");
  return [
    ...(driver
      ? [
          ...(driver.length > 63 ? [tooLong(`${path}.driver`, 63)] : []),
          ...dnsSubdomainFaults(driver.toLowerCase()).map((fault) =>
            invalid(`${path}.driver`, driver, fault),
          ),
        ]
      : [required(`${path}.driver`, "")]),
    ...(name === undefined
      ? []
      : name
        ? dnsSubdomainErrors(name, `${path}.name`)
        : [required(`${path}.nodePublishSecretRef.name`, "")]),
  ];
};

const ephemeral: SourceRule = (source, path, { podName, volumeName }) => {
  const template = mutableAt(source, "volumeClaimTemplate");
  const claim = `${podName}-${volumeName}`;
  const nameFaults = podName && volumeName ? dnsSubdomainFaults(claim) : [];
  return [
    ...(template
      ? validateClaimTemplate(template, `${path}.volumeClaimTemplate`)
      : [required(`${path}.volumeClaimTemplate`, "")]),
    ...nameFaults.map((fault) =>
      invalid(
        `${path.slice(0, -".ephemeral".length)}.name`,
        volumeName,
        `PVC name ${quoteGo(claim)}: ${fault}`,
      ),
    ),
  ];
};

const emptyDir: SourceRule = (source, path) =>
  isSet(source["sizeLimit"]) && nanoOf(source["sizeLimit"]) < 0n
    ? [forbidden(`${path}.sizeLimit`, "SizeLimit field must be a valid resource quantity")]
    : [];

const gitRepo: SourceRule = (source, path) => [
  ...requiredName(stringAt(source, "repository"), `${path}.repository`),
  ...descendingPathErrors(stringAt(source, "directory"), `${path}.directory`),
];

const downward: SourceRule = (source, path) => [
  ...fileModeErrors(optionalNumberAt(source, "defaultMode"), `${path}.defaultMode`),
  ...itemsAt(source, "items").flatMap((file) => validateDownwardFile(file, path)),
];

const image: SourceRule = (source, path, { rules }) => [
  ...(rules.isPod && !stringAt(source, "reference") ? [required(`${path}.reference`, "")] : []),
  ...pullPolicyErrors(stringAt(source, "pullPolicy"), `${path}.pullPolicy`),
];

const noPlace = {} as VolumePlace;
const and =
  (...rules: readonly SourceRule[]): SourceRule =>
  (source, path, place) =>
    rules.flatMap((rule) => rule(source, path, place));

const entries: readonly SourceEntry[] = [
  { field: "emptyDir", rule: emptyDir },
  { field: "hostPath", rule: hostPath },
  { field: "gitRepo", rule: gitRepo },
  { field: "gcePersistentDisk", rule: disk("pdName"), path: "persistentDisk" },
  { field: "awsElasticBlockStore", rule: disk("volumeID") },
  { field: "secret", rule: keyed("secretName") },
  { field: "nfs", rule: nfs },
  { field: "iscsi", rule: iscsi },
  { field: "glusterfs", rule: needs("endpoints", "path") },
  { field: "flocker", rule: flocker },
  { field: "persistentVolumeClaim", rule: needs("claimName") },
  { field: "rbd", rule: needs("monitors", "image") },
  { field: "cinder", rule: and(needs("volumeID"), secretName) },
  { field: "cephfs", rule: needs("monitors"), refusedAs: "cephFS" },
  { field: "quobyte", rule: quobyte },
  { field: "downwardAPI", rule: downward, refusedAs: "downwarAPI" },
  { field: "fc", rule: fibreChannel },
  { field: "flexVolume", rule: flexVolume },
  { field: "configMap", rule: keyed("name") },
  { field: "azureFile", rule: needs("secretName", "shareName") },
  { field: "vsphereVolume", rule: needs("volumePath") },
  { field: "photonPersistentDisk", rule: needs("pdID") },
  { field: "portworxVolume", rule: needs("volumeID") },
  { field: "azureDisk", rule: azureDisk },
  { field: "storageos", rule: storageOs },
  { field: "projected", rule: validateProjected },
  { field: "scaleIO", rule: needs("gateway", "system", "volumeName") },
  { field: "csi", rule: csi },
  { field: "ephemeral", rule: ephemeral },
  { field: "image", rule: image },
];
