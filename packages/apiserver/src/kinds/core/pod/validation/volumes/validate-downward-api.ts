// Validation of references to fields and resources of the pod, in environment variables and
// downward API volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateObjectFieldSelector,
// validateContainerResourceFieldSelector, validateDownwardAPIVolumeFile),
// pkg/apis/core/pods/helpers.go.
import type { Decoded } from "homeostat/api";
import type {
  DownwardAPIVolumeFile,
  ObjectFieldSelector,
  ResourceFieldSelector,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import {
  fileModeErrors,
  freePathErrors,
  qualifiedNameErrors,
} from "../../../../validation/field-rules.ts";
import { nanoOf } from "../../../resources/resource-lists.ts";

/** Environment variables and volumes support different fields. */
export type DownwardPlace = "environment" | "volume";

const known = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.restartPolicy",
  "spec.serviceAccountName",
  "spec.schedulerName",
  "status.phase",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];

const supported: Readonly<Record<DownwardPlace, readonly string[]>> = {
  environment: [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
  ],
  volume: [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
  ],
};

const resources = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const hugePages = /^(?:limits|requests)\.hugepages-/;
const byteDivisors = [
  "1",
  "1k",
  "1M",
  "1G",
  "1T",
  "1P",
  "1E",
  "1Ki",
  "1Mi",
  "1Gi",
  "1Ti",
  "1Pi",
  "1Ei",
];

/** A `fieldRef`. */
export function validateFieldRef(
  reference: Decoded<ObjectFieldSelector>,
  place: DownwardPlace,
  path: string,
): FieldError[] {
  const { apiVersion, fieldPath } = reference;
  if (!apiVersion) return [fieldError.required(`${path}.apiVersion`, "")];
  if (!fieldPath) return [fieldError.required(`${path}.fieldPath`, "")];
  const unreadable = (why: string): FieldError[] => [
    fieldError.invalid(`${path}.fieldPath`, fieldPath, `error converting fieldPath: ${why}`),
  ];
  if (apiVersion !== "v1") return unreadable(`unsupported pod version: ${apiVersion}`);
  const subscript = /^(.+?)\['(.*)'\]$/s.exec(fieldPath);
  if (subscript) {
    const [, field, key = ""] = subscript;
    if (field !== "metadata.annotations" && field !== "metadata.labels")
      return unreadable(`field label does not support subscript: ${fieldPath}`);
    return qualifiedNameErrors(field === "metadata.annotations" ? key.toLowerCase() : key, path);
  }
  const name = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
  if (!known.includes(name)) return unreadable(`field label not supported: ${fieldPath}`);
  return errorIf(!supported[place].includes(name), () =>
    fieldError.notSupported(`${path}.fieldPath`, name, supported[place]),
  );
}

/** A `resourceFieldRef`. */
export function validateResourceFieldRef(
  reference: Decoded<ResourceFieldSelector>,
  place: DownwardPlace,
  path: string,
): FieldError[] {
  const resource = reference.resource ?? "";
  const errors: FieldError[] = [];
  if (place === "volume" && !reference.containerName)
    errors.push(fieldError.required(`${path}.containerName`, ""));
  else if (!resource) errors.push(fieldError.required(`${path}.resource`, ""));
  else if (!resources.includes(resource) && !hugePages.test(resource))
    errors.push(fieldError.notSupported(`${path}.resource`, resource, resources));
  return [...errors, ...divisorErrors(resource, reference.divisor ?? "", path)];
}

function divisorErrors(resource: string, divisor: string, path: string): FieldError[] {
  if (nanoOf(divisor || "0") === 0n) return [];
  const [allowed, of] = divisorsOf(resource);
  return errorIf(allowed && !allowed.includes(divisor), () =>
    fieldError.invalid(`${path}.divisor`, resource, `only divisor's values ${of}`),
  );
}

function divisorsOf(
  resource: string,
): readonly [allowed: readonly string[] | undefined, message: string] {
  const bytes = byteDivisors.join(", ");
  if (/^(?:limits|requests)\.cpu$/.test(resource))
    return [["1m", "1"], "1m and 1 are supported with the cpu resource"];
  if (/^(?:limits|requests)\.memory$/.test(resource))
    return [byteDivisors, `${bytes} are supported with the memory resource`];
  if (/^(?:limits|requests)\.ephemeral-storage$/.test(resource))
    return [byteDivisors, `${bytes} are supported with the local ephemeral storage resource`];
  return hugePages.test(resource)
    ? [byteDivisors, `${bytes} are supported with the hugepages resource`]
    : [undefined, ""];
}

/**
 * Validates one file of a downward API volume. Upstream reports errors of all files at the path of
 * the volume.
 */
export function validateDownwardFile(
  file: Decoded<DownwardAPIVolumeFile>,
  path: string,
): FieldError[] {
  const target = file.path ?? "";
  return [
    ...errorIf(!target, () => fieldError.required(`${path}.path`, "")),
    ...freePathErrors(target, `${path}.path`),
    ...sourceErrors(file, path),
    ...fileModeErrors(file.mode ?? undefined, `${path}.mode`),
  ];
}

function sourceErrors(file: Decoded<DownwardAPIVolumeFile>, path: string): FieldError[] {
  const { fieldRef: field, resourceFieldRef: resource } = file;
  if (field)
    return [
      ...validateFieldRef(field, "volume", `${path}.fieldRef`),
      ...errorIf(resource, () =>
        fieldError.invalid(
          path,
          "resource",
          "fieldRef and resourceFieldRef can not be specified simultaneously",
        ),
      ),
    ];
  return resource
    ? validateResourceFieldRef(resource, "volume", `${path}.resourceFieldRef`)
    : [fieldError.required(path, "one of fieldRef and resourceFieldRef is required")];
}
