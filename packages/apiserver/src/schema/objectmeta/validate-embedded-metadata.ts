// Validates type and object metadata of embedded resources like those of any object. The caller
// validates the metadata of the root.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/validation.go.
import { dns1035LabelFaults, isObject, type Json, type JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import {
  pathSegmentName,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import type { SchemaNode } from "../schema-node.ts";

/** All errors in embedded resources. */
export function validateEmbeddedMetadata(value: Json, node?: SchemaNode): FieldError[] {
  const errors: FieldError[] = [];
  validateInside(value, node, "", errors);
  return errors;
}

function validateInside(
  value: Json,
  node: SchemaNode | undefined,
  path: string,
  errors: FieldError[],
): void {
  if (typeof value !== "object" || value === null || !node?.hasEmbedded) return;
  if (Array.isArray(value))
    return value.forEach((item, i) => validateInside(item, node.items, `${path}[${i}]`, errors));
  if (node.embedded) for (const error of validateEmbedded(value, path)) errors.push(error);
  for (const key in value) {
    const child = node.properties?.get(key);
    if (child) validateInside(value[key]!, child, joinChild(path, key), errors);
    else if (node.additional)
      validateInside(value[key]!, node.additional, `${path}[${key}]`, errors);
  }
}

function validateEmbedded(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["apiVersion", "kind"])
    if (!Object.hasOwn(object, field)) errors.push(fieldError.required(joinChild(path, field), ""));
  if (Object.hasOwn(object, "apiVersion"))
    errors.push(...validateApiVersion(object.apiVersion!, joinChild(path, "apiVersion")));
  if (Object.hasOwn(object, "kind"))
    errors.push(...validateKind(object.kind!, joinChild(path, "kind")));
  if (isObject(object.metadata))
    errors.push(...validateMetadata(object, joinChild(path, "metadata")));
  return errors;
}

function validateApiVersion(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [fieldError.invalid(path, value, "must be a string")];
  if (value === "") return [fieldError.invalid(path, value, "must not be empty")];
  return value !== "/" && value.split("/").length > 2
    ? [fieldError.invalid(path, value, `unexpected GroupVersion string: ${value}`)]
    : [];
}

function validateKind(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [fieldError.invalid(path, value, "must be a string")];
  if (value === "") return [fieldError.invalid(path, value, "must not be empty")];
  const faults = dns1035LabelFaults(value.toLowerCase());
  return faults.length
    ? [
        fieldError.invalid(
          path,
          value,
          `may have mixed case, but should otherwise match: ${faults.join(",")}`,
        ),
      ]
    : [];
}

/** The name is optional here, and an object with a namespace counts as namespaced. */
function validateMetadata(object: JsonObject, path: string): FieldError[] {
  const named = metaString(object, "name")
    ? object
    : { ...object, metadata: { ...(object.metadata as JsonObject), name: "fakename" } };
  return validateObjectMeta(
    named,
    { namespaced: metaString(object, "namespace") !== "" },
    pathSegmentName,
    path,
  );
}

const joinChild = (path: string, key: string): string => (path ? `${path}.${key}` : key);
