// Validation of the claim template of an ephemeral volume.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimTemplate, ValidateTemplateObjectMeta).
import type { Decoded } from "homeostat/api";
import type { PersistentVolumeClaimTemplate } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../../apimachinery/errors/field-error.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../../apimachinery/meta/validate-object-meta.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";

const forbiddenFields = [
  "name",
  "generateName",
  "namespace",
  "selfLink",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "ownerReferences",
  "finalizers",
  "managedFields",
] as const satisfies readonly (keyof ObjectMeta)[];

/** Validates a claim template at `path`. */
export function validateClaimTemplate(
  template: Decoded<PersistentVolumeClaimTemplate>,
  path: string,
): FieldError[] {
  return [
    ...validateTemplateMetadata(template, path),
    ...validateClaimSpec(template.spec ?? {}, `${path}.spec`),
  ];
}

/** Validates the metadata of a template, which has labels and annotations and nothing else. */
export function validateTemplateMetadata(
  template: { readonly metadata?: Decoded<ObjectMeta> | null },
  path: string,
): FieldError[] {
  const metadata = template.metadata ?? {};
  return [
    ...validateAnnotations(metadata.annotations ?? {}, `${path}.metadata.annotations`),
    ...validateLabels(metadata.labels ?? {}, `${path}.metadata.labels`),
    ...forbiddenFields
      .filter((field) => isSet(metadata[field]) && metadata[field] !== "")
      .map((field) => fieldError.forbidden(`${path}.metadata.${field}`, "cannot be set")),
  ];
}
