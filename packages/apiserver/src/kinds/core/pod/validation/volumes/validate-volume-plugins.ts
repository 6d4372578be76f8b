// Validation of the sources of volume plug-ins that need more than names.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (validateISCSIVolumeSource, validateFCVolumeSource, validateFlocker, validateQuobyteVolumeSource,
// validateFlexVolumeSource, validateAzureDisk, validateStorageOSVolumeSource).
import type { Decoded } from "homeostat/api";
import type {
  AzureDiskVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
  StorageOSVolumeSource,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { hasItems, isSet } from "../../../../../apimachinery/meta/read-fields.ts";
import {
  dnsLabelErrors,
  inRange,
  requiredName,
  optionalValid,
  requiredValid,
} from "../../../../validation/field-rules.ts";

/** `partition` of a disk. */
export function validateDiskPartition(
  source: { readonly partition?: number | null },
  path: string,
): FieldError[] {
  const partition = source.partition ?? 0;
  return errorIf(partition < 0 || partition > 255, () =>
    fieldError.invalid(`${path}.partition`, partition, "must be between 1 and 255, inclusive"),
  );
}

/** `secretRef` of a plug-in whose secrets are in the pod's namespace. */
export function validateSecretRef(
  { secretRef }: { readonly secretRef?: { readonly name?: string | null } | null },
  path: string,
): FieldError[] {
  return errorIf(secretRef && !secretRef.name, () =>
    fieldError.required(`${path}.secretRef.name`, ""),
  );
}

const iqnForms: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9\-.]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

/** Whether a name has one of the three forms of iSCSI names. */
export const isIscsiName = (name: string): boolean =>
  iqnForms[name.slice(0, 3)]?.test(name) ?? false;

function iqnErrors(name: string, path: string): FieldError[] {
  const form = iqnForms[name.slice(0, 3)];
  if (!form)
    return [fieldError.invalid(path, name, "must be valid format starting with iqn, eui, or naa")];
  return errorIf(!form.test(name), () => fieldError.invalid(path, name, "must be valid format"));
}

/** `iscsi`. */
export function validateIscsi(source: Decoded<ISCSIVolumeSource>, path: string): FieldError[] {
  const iqn = source.iqn ?? "";
  const initiator = source.initiatorName ?? undefined;
  const needsSecret =
    (source.chapAuthDiscovery === true || source.chapAuthSession === true) &&
    !isSet(source.secretRef);
  return [
    ...requiredName(source.targetPortal ?? "", `${path}.targetPortal`),
    ...requiredValid(iqnErrors, iqn, `${path}.iqn`),
    ...inRange(source.lun ?? 0, 0, 255, `${path}.lun`),
    ...errorIf(needsSecret, () => fieldError.required(`${path}.secretRef`, "")),
    ...(initiator === undefined ? [] : iqnErrors(initiator, `${path}.initiatorname`)),
  ];
}

/** Validates the name of the volume at `path`, which is part of the initiator's. */
export function validateInitiatorLength(
  source: Decoded<ISCSIVolumeSource>,
  path: string,
  name: string,
): FieldError[] {
  if (
    !isSet(source.initiatorName) ||
    Buffer.byteLength(`${name}:${source.targetPortal ?? ""}`) <= 64
  )
    return [];
  return [
    fieldError.invalid(
      `${path}.name`,
      name,
      "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.",
    ),
  ];
}

/** `fc`. */
export function validateFibreChannel(source: Decoded<FCVolumeSource>, path: string): FieldError[] {
  const names = hasItems(source.targetWWNs);
  const ids = hasItems(source.wwids);
  const at = `${path}.targetWWNs`;
  const both = "targetWWNs and wwids can not be specified simultaneously";
  return [
    ...errorIf(!names && !ids, () =>
      fieldError.required(at, "must specify either targetWWNs or wwids, but not both"),
    ),
    ...errorIf(names && ids, () => fieldError.invalid(at, source.targetWWNs, both)),
    ...(names ? lunErrors(source.lun, `${path}.lun`) : []),
  ];
}

function lunErrors(lun: number | null | undefined, path: string): FieldError[] {
  return isSet(lun)
    ? inRange(lun, 0, 255, path)
    : [fieldError.required(path, "lun is required if targetWWNs is specified")];
}

/** `flocker`. */
export function validateFlocker(source: Decoded<FlockerVolumeSource>, path: string): FieldError[] {
  const name = source.datasetName ?? "";
  const uuid = source.datasetUUID ?? "";
  return [
    ...errorIf(!name && !uuid, () =>
      fieldError.required(path, "one of datasetName and datasetUUID is required"),
    ),
    ...errorIf(name && uuid, () =>
      fieldError.invalid(
        path,
        "resource",
        "datasetName and datasetUUID can not be specified simultaneously",
      ),
    ),
    ...errorIf(name.includes("/"), () =>
      fieldError.invalid(`${path}.datasetName`, name, "must not contain '/'"),
    ),
  ];
}

const hostPorts = "must be a host:port pair or multiple pairs separated by commas";

/** `quobyte`. */
export function validateQuobyte(source: Decoded<QuobyteVolumeSource>, path: string): FieldError[] {
  const registry = source.registry ?? "";
  const volumeErrors = requiredName(source.volume ?? "", `${path}.volume`);
  if (!registry) return [fieldError.required(`${path}.registry`, hostPorts), ...volumeErrors];
  if ((source.tenant ?? "").length >= 65)
    return [
      fieldError.required(
        `${path}.tenant`,
        "must be a UUID and may not exceed a length of 64 characters",
      ),
      ...volumeErrors,
    ];
  const malformed = registry
    .split(",")
    .filter((pair) => !/^(?:\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair));
  return [
    ...malformed.map(() => fieldError.invalid(`${path}.registry`, registry, hostPorts)),
    ...volumeErrors,
  ];
}

/** `flexVolume`. */
export function validateFlexVolume(source: Decoded<FlexVolumeSource>, path: string): FieldError[] {
  const reserved = (key: string): boolean =>
    /\.(?:kubernetes|k8s)\.io$/.test(`.${(key.split("/", 1)[0] ?? "").toLowerCase()}`);
  const options = Object.keys(source.options ?? {});
  return [
    ...requiredName(source.driver ?? "", `${path}.driver`),
    ...options
      .filter(reserved)
      .map((key) =>
        fieldError.invalid(
          `${path}.options[${key}]`,
          key,
          "kubernetes.io and k8s.io namespaces are reserved",
        ),
      ),
  ];
}

/** `azureDisk`. */
export function validateAzureDisk(
  source: Decoded<AzureDiskVolumeSource>,
  path: string,
): FieldError[] {
  const caching = source.cachingMode ?? undefined;
  const kind = source.kind ?? undefined;
  const uri = source.diskURI ?? "";
  return [
    ...requiredName(source.diskName ?? "", `${path}.diskName`),
    ...requiredName(uri, `${path}.diskURI`),
    ...errorIf(caching !== undefined && !["None", "ReadOnly", "ReadWrite"].includes(caching), () =>
      fieldError.notSupported(`${path}.cachingMode`, caching, ["None", "ReadOnly", "ReadWrite"]),
    ),
    ...errorIf(kind !== undefined && !["Dedicated", "Managed", "Shared"].includes(kind), () =>
      fieldError.notSupported(`${path}.kind`, kind, ["Dedicated", "Managed", "Shared"]),
    ),
    ...errorIf(kind === "Managed" && !uri.startsWith("/subscriptions/"), () =>
      fieldError.notSupported(`${path}.diskURI`, uri, [
        "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}",
      ]),
    ),
    ...errorIf(kind !== undefined && kind !== "Managed" && !uri.startsWith("https://"), () =>
      fieldError.notSupported(`${path}.diskURI`, uri, [
        "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd",
      ]),
    ),
  ];
}

/** `storageos`. */
export function validateStorageOs(
  source: Decoded<StorageOSVolumeSource>,
  path: string,
): FieldError[] {
  return [
    ...requiredValid(dnsLabelErrors, source.volumeName, `${path}.volumeName`),
    ...optionalValid(dnsLabelErrors, source.volumeNamespace, `${path}.volumeNamespace`),
    ...validateSecretRef(source, path),
  ];
}
