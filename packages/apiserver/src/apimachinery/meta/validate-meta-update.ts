// Validates changes of metadata: immutable fields.
// Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go
// (ValidateObjectMetaAccessorUpdate).
import { compareBytewise, equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../errors/field-error.ts";
import { type FieldError, quoteGo } from "../errors/field-error.ts";
import { finalizersOf, isDeleting, metaMap, metaNumber, metaString } from "./read-meta.ts";
import { validateManagedFields } from "./validate-managed-fields.ts";
import { validateAnnotations, validateLabels } from "./validate-object-meta.ts";
import { validateOwnerReferences } from "./validate-owner-references.ts";

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/**
 * Every breach; the new object's rules on labels, annotations, owners and managers are upstream's
 * to repeat here.
 */
export function validateMetaUpdate(
  object: JsonObject,
  old: JsonObject,
  path = "metadata",
): FieldError[] {
  const errors: FieldError[] = [];
  if (isDeleting(old))
    errors.push(
      ...validateNoNewFinalizers(finalizersOf(object), finalizersOf(old), `${path}.finalizers`),
    );
  if (!metaString(object, "resourceVersion"))
    errors.push(
      fieldError.invalid(`${path}.resourceVersion`, "", "must be specified for an update"),
    );
  const generation = metaNumber(object, "generation") ?? 0;
  if (generation < (metaNumber(old, "generation") ?? 0))
    errors.push(fieldError.invalid(`${path}.generation`, generation, "must not be decremented"));
  for (const field of immutableFields) errors.push(...validateImmutable(field, object, old, path));
  return [
    ...errors,
    ...validateLabels(metaMap(object, "labels"), `${path}.labels`),
    ...validateAnnotations(metaMap(object, "annotations"), `${path}.annotations`),
    ...validateOwnerReferences(object, `${path}.ownerReferences`),
    ...validateManagedFields(object, `${path}.managedFields`),
  ];
}

function validateImmutable(
  field: (typeof immutableFields)[number],
  object: JsonObject,
  old: JsonObject,
  path: string,
): FieldError[] {
  const now = valueOf(object, field);
  return equalJson(now ?? null, valueOf(old, field) ?? null)
    ? []
    : [
        fieldError.invalid(
          `${path}.${field}`,
          now ?? (isText(field) ? "" : null),
          "field is immutable",
        ),
      ];
}

const isText = (field: string): boolean =>
  field === "name" || field === "namespace" || field === "uid";

function valueOf(object: JsonObject, field: string): Json | undefined {
  const value = isObject(object.metadata) ? object.metadata[field] : undefined;
  return value === "" ? undefined : value;
}

function validateNoNewFinalizers(
  finalizers: readonly string[],
  old: readonly string[],
  path: string,
): FieldError[] {
  const added = [...new Set(finalizers)]
    .filter((finalizer) => !old.includes(finalizer))
    .sort(compareBytewise);
  if (!added.length) return [];
  return [
    fieldError.forbidden(
      path,
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map(quoteGo).join(", ")}}`,
    ),
  ];
}
