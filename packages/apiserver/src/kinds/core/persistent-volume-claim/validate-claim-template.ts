// The claim that an ephemeral volume makes: its spec, and the little metadata that it may carry.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidatePersistentVolumeClaimTemplate, ValidateTemplateObjectMeta).
import type { JsonObject } from "homeostat/api";
import { type FieldError, forbidden } from "../../../apimachinery/errors/field-error.ts";
import {
  validateAnnotations,
  validateLabels,
} from "../../../apimachinery/meta/validate-object-meta.ts";
import { isSet, textMapAt, objectAt } from "../../../apimachinery/meta/read-fields.ts";
import { validateClaimSpec } from "./validate-claim-spec.ts";

const metadataFields = [
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
];

/** Every breach in a claim template. */
export function validateClaimTemplate(template: JsonObject, path: string): FieldError[] {
  return [
    ...validateTemplateMetadata(template, path),
    ...validateClaimSpec(objectAt(template, "spec"), `${path}.spec`),
  ];
}

/** The metadata of a template: labels and annotations, and nothing else. */
export function validateTemplateMetadata(template: JsonObject, path: string): FieldError[] {
  const metadata = objectAt(template, "metadata");
  return [
    ...validateAnnotations(textMapAt(metadata, "annotations"), `${path}.metadata.annotations`),
    ...validateLabels(textMapAt(metadata, "labels"), `${path}.metadata.labels`),
    ...metadataFields
      .filter((field) => isSet(metadata[field]) && metadata[field] !== "")
      .map((field) => forbidden(`${path}.metadata.${field}`, "cannot be set")),
  ];
}
