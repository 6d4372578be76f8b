// Validates x-kubernetes-list-type and x-kubernetes-list-map-keys.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go
// (ValidateCustomResourceDefinitionOpenAPISchema, validateMapListKeysMapSet).
import type { Json } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps } from "../../../schema/json-schema-props.ts";

/** Violations of one node, without those of its children. */
export function validateListSchema(s: JsonSchemaProps, path: string): FieldError[] {
  const items = s.items && !Array.isArray(s.items) ? (s.items as JsonSchemaProps) : undefined;
  return [
    ...typeErrors(s, items, path),
    ...keyTypeErrors(s, path),
    ...(s["x-kubernetes-list-type"] === "map" ? mapErrors(s, items, path) : []),
    ...itemErrors(s, items, path),
  ];
}

function typeErrors(
  s: JsonSchemaProps,
  items: JsonSchemaProps | undefined,
  path: string,
): FieldError[] {
  const listType = s["x-kubernetes-list-type"];
  if (listType === undefined) return [];
  const text = "must be array if x-kubernetes-list-type is specified";
  const wrongType = s.type
    ? fieldError.invalid(`${path}.type`, s.type, text)
    : fieldError.required(`${path}.type`, text);
  return [
    ...(s.type === "array" ? [] : [wrongType]),
    ...(s.type === "array" && listType === "set" && items ? setItemErrors(items, path) : []),
    ...errorIf(!["atomic", "set", "map"].includes(listType), () =>
      fieldError.notSupported(`${path}.x-kubernetes-list-type`, listType, ["atomic", "set", "map"]),
    ),
  ];
}

/**
 * Items of a set are compared as a whole, so they must be atomic. Both messages show the list type.
 */
function setItemErrors(items: JsonSchemaProps, path: string): FieldError[] {
  const text = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items["x-kubernetes-list-type"];
  if (items.type === "array" && listType !== undefined && listType !== "atomic")
    return [fieldError.invalid(`${path}.items.x-kubernetes-list-type`, listType, text)];
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    return [fieldError.invalid(`${path}.items.x-kubernetes-map-type`, listType, text)];
  return [];
}

function keyTypeErrors(s: JsonSchemaProps, path: string): FieldError[] {
  if (!s["x-kubernetes-list-map-keys"]?.length || s["x-kubernetes-list-type"] === "map") return [];
  const text = "must be map if x-kubernetes-list-map-keys is non-empty";
  const listType = s["x-kubernetes-list-type"];
  return [
    listType === undefined
      ? fieldError.required(`${path}.x-kubernetes-list-type`, text)
      : fieldError.invalid(`${path}.x-kubernetes-list-type`, listType, text),
  ];
}

function mapErrors(
  s: JsonSchemaProps,
  items: JsonSchemaProps | undefined,
  path: string,
): FieldError[] {
  const keys = s["x-kubernetes-list-map-keys"] ?? [];
  const errors: FieldError[] = [];
  if (!keys.length)
    errors.push(
      fieldError.required(
        `${path}.x-kubernetes-list-map-keys`,
        "must not be empty if x-kubernetes-list-type is map",
      ),
    );
  if (!s.items)
    errors.push(
      fieldError.required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"),
    );
  if (s.items && !items)
    errors.push(
      fieldError.invalidInternal(
        `${path}.items`,
        ["*|apiextensions.JSONSchemaPropsOrArray", s.items as unknown as Json],
        "must only have a single schema if x-kubernetes-list-type is map",
      ),
    );
  if (items && items.type !== "object")
    errors.push(
      fieldError.invalid(
        `${path}.items.type`,
        items.type ?? "",
        "must be object if parent array's x-kubernetes-list-type is map",
      ),
    );
  return items?.type === "object"
    ? [...errors, ...keys.flatMap((_, i) => keyErrors(keys, i, items, path))]
    : errors;
}

function keyErrors(
  keys: readonly string[],
  i: number,
  items: JsonSchemaProps,
  path: string,
): FieldError[] {
  const key = keys[i]!;
  const shown = [...keys];
  const property = keyProperty(items, key);
  const errors: FieldError[] = [];
  if (!property)
    errors.push(
      fieldError.invalid(
        `${path}.x-kubernetes-list-map-keys`,
        shown,
        "entries must all be names of item properties",
      ),
    );
  else if (property.type === "array" || property.type === "object")
    errors.push(
      fieldError.invalid(
        `${path}.items.properties[${key}].type`,
        items.type,
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      ),
    );
  if (keys.indexOf(key) < i)
    errors.push(
      fieldError.invalid(
        `${path}.x-kubernetes-list-map-keys`,
        shown,
        "must not contain duplicate entries",
      ),
    );
  return errors;
}

function itemErrors(
  s: JsonSchemaProps,
  items: JsonSchemaProps | undefined,
  path: string,
): FieldError[] {
  const listType = s["x-kubernetes-list-type"];
  if (!items || (listType !== "set" && listType !== "map")) return [];
  const errors = errorIf(items.nullable, () =>
    fieldError.forbidden(
      `${path}.items.nullable`,
      `cannot be nullable when x-kubernetes-list-type is ${listType}`,
    ),
  );
  if (listType === "set") return errors;
  return [
    ...errors,
    ...(s["x-kubernetes-list-map-keys"] ?? []).flatMap((key) =>
      keyPresenceErrors(key, items, path),
    ),
  ];
}

function keyPresenceErrors(key: string, items: JsonSchemaProps, path: string): FieldError[] {
  const property = keyProperty(items, key);
  if (!property) return [];
  const at = `${path}.items.properties[${key}]`;
  const hasDefault = property.default !== undefined && property.default !== null;
  return [
    ...errorIf(!items.required?.includes(key) && !hasDefault, () =>
      fieldError.required(
        `${at}.default`,
        "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
      ),
    ),
    ...errorIf(property.nullable, () =>
      fieldError.forbidden(
        `${at}.nullable`,
        "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
      ),
    ),
  ];
}

function keyProperty(items: JsonSchemaProps, key: string): JsonSchemaProps | undefined {
  return items.properties && Object.hasOwn(items.properties, key)
    ? items.properties[key]
    : undefined;
}
