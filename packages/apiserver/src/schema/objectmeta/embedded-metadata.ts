// Type and object metadata of resources that stand inside other resources: read as Go reads
// ObjectMeta, unknown fields dropped and named, and checked like those of any object. The root's
// own metadata is the caller's business.
// Upstream:
// k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/{algorithm,coerce,validation}.go.
import {
  compareBytewise,
  dns1035LabelFaults,
  isObject,
  type Json,
  type JsonObject,
  type ParsedJson,
} from "homeostat/api";
import { type FieldError, invalid, required } from "../../apimachinery/errors/field-error.ts";
import {
  pathSegmentName,
  validateObjectMeta,
} from "../../apimachinery/meta/validate-object-meta.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { SchemaNode } from "../schema-node.ts";

/** Reads ObjectMeta as Go does; an error's message is Go's. */
export interface MetadataDecoder {
  decode(body: ParsedJson): {
    readonly object: JsonObject;
    readonly strictErrors: readonly string[];
  };
}

/**
 * ObjectMeta as Go writes it back, with strict errors at full paths (`unknown field "metadata.x"`),
 * or what is wrong with it.
 */
export type MetadataReading =
  | { readonly metadata: JsonObject; readonly strictErrors: readonly string[] }
  | { readonly fault: string };

/** Reads the metadata that stands at `path`, e.g. `metadata` or `spec.template.metadata`. */
export function readMetadata(value: Json, path: string, decoder: MetadataDecoder): MetadataReading {
  try {
    const { object, strictErrors } = decoder.decode({
      value,
      duplicates: [],
      floatLiterals: new Map(),
    });
    if (object.creationTimestamp === null) delete object.creationTimestamp;
    return {
      metadata: object,
      strictErrors: strictErrors
        .map((text) => text.replace(' "', ` "${path}.`))
        .sort(compareBytewise),
    };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Coerces embedded metadata in place. Answers the first fault; strict errors are appended to
 * `strict`.
 */
export function coerceEmbeddedMetadata(
  value: Json,
  node: SchemaNode,
  decoder: MetadataDecoder,
  strict: string[],
): FieldError | undefined {
  return coerce(value, node, "", decoder, strict);
}

function coerce(
  value: Json,
  node: SchemaNode | undefined,
  path: string,
  decoder: MetadataDecoder,
  strict: string[],
): FieldError | undefined {
  if (typeof value !== "object" || value === null || !node?.hasEmbedded) return undefined;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = coerce(value[i]!, node.items, `${path}[${i}]`, decoder, strict);
      if (fault) return fault;
    }
    return undefined;
  }
  for (const key of Object.keys(value)) {
    const fault =
      (node.embedded ? coerceMetaField(value, key, path, decoder, strict) : undefined) ??
      coerceMember(value, key, node, path, decoder, strict);
    if (fault) return fault;
  }
  return undefined;
}

function coerceMember(
  object: JsonObject,
  key: string,
  node: SchemaNode,
  path: string,
  decoder: MetadataDecoder,
  strict: string[],
): FieldError | undefined {
  const child = node.properties?.get(key);
  return child
    ? coerce(object[key]!, child, joinChild(path, key), decoder, strict)
    : coerce(object[key]!, node.additional, `${path}[${key}]`, decoder, strict);
}

function coerceMetaField(
  object: JsonObject,
  key: string,
  path: string,
  decoder: MetadataDecoder,
  strict: string[],
): FieldError | undefined {
  const value = object[key]!;
  const at = joinChild(path, key);
  if (key === "apiVersion" || key === "kind")
    return typeof value === "string" ? undefined : invalid(at, value, "must be a string");
  if (key !== "metadata") return undefined;
  const reading = readMetadata(value, at, decoder);
  if ("fault" in reading) return invalid(at, value, reading.fault);
  object.metadata = reading.metadata;
  for (const text of reading.strictErrors) strict.push(text);
  return undefined;
}

const nothing: readonly FieldError[] = [];

/** Every breach in embedded resources. */
export function validateEmbeddedMetadata(
  value: Json,
  node: SchemaNode | undefined,
): readonly FieldError[] {
  if (!node?.hasEmbedded) return nothing;
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
    if (!Object.hasOwn(object, field)) errors.push(required(joinChild(path, field), ""));
  if (Object.hasOwn(object, "apiVersion"))
    errors.push(...validateApiVersion(object.apiVersion!, joinChild(path, "apiVersion")));
  if (Object.hasOwn(object, "kind"))
    errors.push(...validateKind(object.kind!, joinChild(path, "kind")));
  if (isObject(object.metadata))
    errors.push(...validateMetadata(object, joinChild(path, "metadata")));
  return errors;
}

function validateApiVersion(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  return value !== "/" && value.split("/").length > 2
    ? [invalid(path, value, `unexpected GroupVersion string: ${value}`)]
    : [];
}

function validateKind(value: Json, path: string): FieldError[] {
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value === "") return [invalid(path, value, "must not be empty")];
  const faults = dns1035LabelFaults(value.toLowerCase());
  return faults.length
    ? [invalid(path, value, `may have mixed case, but should otherwise match: ${faults.join(",")}`)]
    : [];
}

/** A missing name is allowed here, and any namespace makes it a namespaced object. */
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
