// Validation of the spec of a PersistentVolumeClaim: of a claim, of a template of a StatefulSet, of
// an ephemeral volume.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimSpec).
import { type Decoded, dnsLabelFaults, equalJson } from "homeostat/api";
import type {
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
  TypedObjectReference,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { validateLabelSelector } from "../../validation/label-selectors.ts";
import { dnsSubdomainErrors } from "../../validation/field-rules.ts";
import { nanoOf } from "../resources/resource-lists.ts";

/** Rules that an update may break where the stored claim does. */
export interface ClaimSpecValidationOptions {
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidGroups: boolean;
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];
const strict: ClaimSpecValidationOptions = {
  allowInvalidSelectorValues: false,
  allowInvalidGroups: false,
};

/** Validates the spec of a claim at `path`. */
export function validateClaimSpec(
  spec: Decoded<PersistentVolumeClaimSpec>,
  path: string,
  options: ClaimSpecValidationOptions = strict,
): FieldError[] {
  const { selector } = spec;
  const { storageClassName: storageClass, volumeAttributesClassName: attributesClass } = spec;
  const mode = spec.volumeMode ?? undefined;
  return [
    ...errorIf(!spec.accessModes?.length, () =>
      fieldError.required(`${path}.accessModes`, "at least 1 access mode is required"),
    ),
    ...(selector
      ? validateLabelSelector(selector, `${path}.selector`, {
          invalidValues: options.allowInvalidSelectorValues ? "allowed" : "refused",
        })
      : []),
    ...accessModeErrors(spec.accessModes ?? [], `${path}.accessModes`),
    ...storageErrors(spec.resources?.requests?.["storage"], `${path}.resources[storage]`),
    ...(storageClass ? dnsSubdomainErrors(storageClass, `${path}.storageClassName`) : []),
    ...errorIf(mode !== undefined && !volumeModes.includes(mode), () =>
      fieldError.notSupported(`${path}.volumeMode`, mode, volumeModes),
    ),
    ...sourceErrors(spec, path, options),
    ...(attributesClass
      ? dnsSubdomainErrors(attributesClass, `${path}.volumeAttributesClassName`)
      : []),
  ];
}

function accessModeErrors(modes: readonly string[], path: string): FieldError[] {
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => fieldError.notSupported(path, mode, accessModes));
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && others
    ? [
        ...errors,
        fieldError.forbidden(path, "may not use ReadWriteOncePod with other access modes"),
      ]
    : errors;
}

function storageErrors(storage: string | undefined, path: string): FieldError[] {
  if (storage === undefined) return [fieldError.required(path, "")];
  return errorIf(nanoOf(storage) <= 0n, () =>
    fieldError.invalid(path, storage, "must be greater than zero"),
  );
}

function sourceErrors(
  spec: Decoded<PersistentVolumeClaimSpec>,
  path: string,
  { allowInvalidGroups }: ClaimSpecValidationOptions,
): FieldError[] {
  const source = spec.dataSource ?? undefined;
  const reference = spec.dataSourceRef ?? undefined;
  return [
    ...(source ? referenceErrors(source, `${path}.dataSource`, allowInvalidGroups) : []),
    ...(reference
      ? [
          ...referenceErrors(reference, `${path}.dataSourceRef`, allowInvalidGroups),
          ...namespaceErrors(reference.namespace ?? "", `${path}.dataSourceRef.namespace`),
        ]
      : []),
    ...agreementErrors(source, reference, path),
  ];
}

function referenceErrors(
  reference: Decoded<TypedObjectReference>,
  path: string,
  allowInvalidGroups: boolean,
): FieldError[] {
  const { name, kind, apiGroup: group } = reference;
  return [
    ...errorIf(!name, () => fieldError.required(`${path}.name`, "")),
    ...errorIf(!kind, () => fieldError.required(`${path}.kind`, "")),
    ...errorIf(!group && kind !== "PersistentVolumeClaim", () =>
      fieldError.invalid(
        path,
        kind ?? "",
        "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
      ),
    ),
    ...(group && !allowInvalidGroups ? dnsSubdomainErrors(group, `${path}.apiGroup`) : []),
  ];
}

const namespaceErrors = (namespace: string, path: string): FieldError[] =>
  namespace
    ? dnsLabelFaults(namespace).map((fault) => fieldError.invalid(path, namespace, fault))
    : [];

/** Upstream passes a path as the bad value, which prints as an empty object. */
function agreementErrors(
  source: Decoded<TypedLocalObjectReference> | undefined,
  reference: Decoded<TypedObjectReference> | undefined,
  path: string,
): FieldError[] {
  if (!source || !reference) return [];
  if (reference.namespace)
    return [
      fieldError.invalid(
        path,
        {},
        "may not be specified when dataSourceRef.namespace is specified",
      ),
    ];
  const same = (["apiGroup", "kind", "name"] as const).every((field) =>
    equalJson(source[field] ?? null, reference[field] ?? null),
  );
  return errorIf(!same, () => fieldError.invalid(path, {}, "must match dataSourceRef"));
}
