// The spec of a PersistentVolumeClaim, wherever one stands: in a claim, in a StatefulSet's
// templates, in an ephemeral volume.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimSpec).
import { dnsLabelFaults, equalJson, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
  notSupported,
  required,
} from "../../../apimachinery/errors/field-error.ts";
import { validateLabelSelector } from "../../validation/label-selectors.ts";
import {
  mutableAt,
  optionalTextAt,
  textMapAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../../apimachinery/meta/read-fields.ts";
import { dnsSubdomainErrors } from "../../validation/field-rules.ts";
import { nanoOf } from "../resources/resource-lists.ts";

/** What the stored claim already breaks stays allowed. */
export interface ClaimRules {
  readonly allowInvalidSelectorValues: boolean;
  readonly allowInvalidGroups: boolean;
}

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
const volumeModes = ["Block", "Filesystem"];
const strict: ClaimRules = { allowInvalidSelectorValues: false, allowInvalidGroups: false };

/** Every breach in a claim's spec. */
export function validateClaimSpec(
  spec: JsonObject,
  path: string,
  rules: ClaimRules = strict,
): FieldError[] {
  const selector = mutableAt(spec, "selector");
  const storageClass = optionalTextAt(spec, "storageClassName");
  const attributesClass = optionalTextAt(spec, "volumeAttributesClassName");
  const mode = optionalTextAt(spec, "volumeMode");
  return [
    ...(textsAt(spec, "accessModes").length
      ? []
      : [required(`${path}.accessModes`, "at least 1 access mode is required")]),
    ...(selector
      ? validateLabelSelector(selector, `${path}.selector`, {
          invalidValues: rules.allowInvalidSelectorValues ? "allowed" : "refused",
        })
      : []),
    ...accessModeErrors(textsAt(spec, "accessModes"), `${path}.accessModes`),
    ...storageErrors(
      textMapAt(objectAt(spec, "resources"), "requests")["storage"],
      `${path}.resources[storage]`,
    ),
    ...(storageClass ? dnsSubdomainErrors(storageClass, `${path}.storageClassName`) : []),
    ...(mode !== undefined && !volumeModes.includes(mode)
      ? [notSupported(`${path}.volumeMode`, mode, volumeModes)]
      : []),
    ...sourceErrors(spec, path, rules),
    ...(attributesClass
      ? dnsSubdomainErrors(attributesClass, `${path}.volumeAttributesClassName`)
      : []),
  ];
}

function accessModeErrors(modes: readonly string[], path: string): FieldError[] {
  const errors = modes
    .filter((mode) => !accessModes.includes(mode))
    .map((mode) => notSupported(path, mode, accessModes));
  const others = modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  return modes.includes("ReadWriteOncePod") && others
    ? [...errors, forbidden(path, "may not use ReadWriteOncePod with other access modes")]
    : errors;
}

function storageErrors(storage: string | undefined, path: string): FieldError[] {
  if (storage === undefined) return [required(path, "")];
  return nanoOf(storage) <= 0n ? [invalid(path, storage, "must be greater than zero")] : [];
}

function sourceErrors(
  spec: JsonObject,
  path: string,
  { allowInvalidGroups }: ClaimRules,
): FieldError[] {
  const source = mutableAt(spec, "dataSource");
  const reference = mutableAt(spec, "dataSourceRef");
  return [
    ...(source ? referenceErrors(source, `${path}.dataSource`, allowInvalidGroups) : []),
    ...(reference
      ? [
          ...referenceErrors(reference, `${path}.dataSourceRef`, allowInvalidGroups),
          ...namespaceErrors(stringAt(reference, "namespace"), `${path}.dataSourceRef.namespace`),
        ]
      : []),
    ...agreementErrors(source, reference, path),
  ];
}

function referenceErrors(
  reference: JsonObject,
  path: string,
  allowInvalidGroups: boolean,
): FieldError[] {
  const group = stringAt(reference, "apiGroup");
  const kind = stringAt(reference, "kind");
  return [
    ...(stringAt(reference, "name") ? [] : [required(`${path}.name`, "")]),
    ...(kind ? [] : [required(`${path}.kind`, "")]),
    ...(!group && kind !== "PersistentVolumeClaim"
      ? [
          invalid(
            path,
            kind,
            "must be 'PersistentVolumeClaim' when referencing the default apiGroup",
          ),
        ]
      : []),
    ...(group && !allowInvalidGroups ? dnsSubdomainErrors(group, `${path}.apiGroup`) : []),
  ];
}

const namespaceErrors = (namespace: string, path: string): FieldError[] =>
  namespace ? dnsLabelFaults(namespace).map((fault) => invalid(path, namespace, fault)) : [];

/** Upstream hands over a path as the bad value, which prints as an empty object. */
function agreementErrors(
  source: JsonObject | undefined,
  reference: JsonObject | undefined,
  path: string,
): FieldError[] {
  if (!source || !reference) return [];
  if (stringAt(reference, "namespace"))
    return [invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified")];
  const same = ["apiGroup", "kind", "name"].every((field) =>
    equalJson(source[field] ?? null, reference[field] ?? null),
  );
  return same ? [] : [invalid(path, {}, "must match dataSourceRef")];
}
