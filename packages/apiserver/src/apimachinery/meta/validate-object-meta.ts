// Validates the metadata of every kind, in upstream's order and with its messages.
// Upstream: k8s.io/apimachinery/pkg/api/validation/objectmeta.go,
// pkg/apis/meta/v1/validation/validation.go.
import {
  compareBytewise,
  dnsLabelFaults,
  type JsonObject,
  labelKeyFaults,
  labelValueFaults,
  pathSegmentFaults,
  pathSegmentPrefixFaults,
} from "homeostat/api";
import * as fieldError from "../errors/field-error.ts";
import type { FieldError } from "../errors/field-error.ts";
import { finalizersOf, metaMap, metaNumber, metaString } from "./read-meta.ts";
import { validateManagedFields } from "./validate-managed-fields.ts";
import { validateOwnerReferences } from "./validate-owner-references.ts";

/**
 * A kind's rule for names: a message for every violation; `prefixOnly` for generateName, to which a
 * suffix is appended.
 */
export type NameRule = (name: string, prefixOnly: boolean) => readonly string[];

/** The rule that every name must meet, whatever the kind. */
export const pathSegmentName: NameRule = (name, prefixOnly) =>
  prefixOnly ? pathSegmentPrefixFaults(name) : pathSegmentFaults(name);

const maxAnnotationBytes = 256 * 1024;

/** Every breach of the common rules. */
export function validateObjectMeta(
  object: JsonObject,
  scope: { readonly namespaced: boolean },
  nameRule: NameRule,
  path = "metadata",
): FieldError[] {
  return [
    ...validateNames(object, nameRule, path),
    ...validateNamespace(object, scope, path),
    ...validateRest(object, path),
  ];
}

/** Label keys and values, e.g. of metadata.labels or a selector's matchLabels. */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  path: string,
): FieldError[] {
  return Object.keys(labels)
    .sort(compareBytewise)
    .flatMap((key) => [
      ...labelKeyFaults(key).map((fault) => fieldError.invalid(path, key, fault)),
      ...labelValueFaults(labels[key]!).map((fault) =>
        fieldError.invalid(path, labels[key], fault),
      ),
    ]);
}

/** Annotation keys, and the size of all together. */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
): FieldError[] {
  const keys = Object.keys(annotations).sort(compareBytewise);
  const errors = keys.flatMap((key) =>
    labelKeyFaults(key.toLowerCase()).map((fault) => fieldError.invalid(path, key, fault)),
  );
  const bytes = keys.reduce(
    (sum, key) => sum + Buffer.byteLength(key) + Buffer.byteLength(annotations[key]!),
    0,
  );
  if (bytes > maxAnnotationBytes) errors.push(fieldError.tooLong(path, maxAnnotationBytes));
  return errors;
}

function validateNames(object: JsonObject, nameRule: NameRule, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const generateName = metaString(object, "generateName");
  const name = metaString(object, "name");
  if (generateName)
    errors.push(
      ...nameRule(generateName, true).map((fault) =>
        fieldError.invalid(`${path}.generateName`, generateName, fault),
      ),
    );
  if (!name) errors.push(fieldError.required(`${path}.name`, "name or generateName is required"));
  else
    errors.push(
      ...nameRule(name, false).map((fault) => fieldError.invalid(`${path}.name`, name, fault)),
    );
  return errors;
}

function validateNamespace(
  object: JsonObject,
  { namespaced }: { readonly namespaced: boolean },
  path: string,
): FieldError[] {
  const namespace = metaString(object, "namespace");
  if (!namespaced)
    return namespace ? [fieldError.forbidden(`${path}.namespace`, "not allowed on this type")] : [];
  if (!namespace) return [fieldError.required(`${path}.namespace`, "")];
  return dnsLabelFaults(namespace).map((fault) =>
    fieldError.invalid(`${path}.namespace`, namespace, fault),
  );
}

function validateRest(object: JsonObject, path: string): FieldError[] {
  const generation = metaNumber(object, "generation") ?? 0;
  return [
    ...(generation < 0
      ? [fieldError.invalid(`${path}.generation`, generation, "must be greater than or equal to 0")]
      : []),
    ...validateLabels(metaMap(object, "labels"), `${path}.labels`),
    ...validateAnnotations(metaMap(object, "annotations"), `${path}.annotations`),
    ...validateOwnerReferences(object, `${path}.ownerReferences`),
    ...validateFinalizers(finalizersOf(object), `${path}.finalizers`),
    ...validateManagedFields(object, `${path}.managedFields`),
  ];
}

function validateFinalizers(finalizers: readonly string[], path: string): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    labelKeyFaults(finalizer).map((fault) => fieldError.invalid(path, finalizer, fault)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(
      fieldError.invalid(
        path,
        [...finalizers],
        "finalizer orphan and foregroundDeletion cannot be both set",
      ),
    );
  }
  return errors;
}
