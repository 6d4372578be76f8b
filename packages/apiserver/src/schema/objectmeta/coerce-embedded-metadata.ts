// Coerces type and object metadata of embedded resources: metadata reads as Go's ObjectMeta, and
// its unknown fields are dropped and reported. The caller coerces the metadata of the root.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/{algorithm,coerce}.go.
import type { Json, JsonObject } from "homeostat/api";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { SchemaNode } from "../schema-node.ts";
import { type MetadataDecoder, readMetadata } from "./read-metadata.ts";

/**
 * Coerces embedded metadata in place. Returns the first error, and appends strict errors to
 * `strict`.
 */
export function coerceEmbeddedMetadata(
  value: Json,
  node: SchemaNode,
  decoder: MetadataDecoder,
  strict: string[],
): FieldError | undefined {
  return new Coercion(decoder, strict).coerce(value, node, "");
}

class Coercion {
  readonly #decoder: MetadataDecoder;
  readonly #strict: string[];

  constructor(decoder: MetadataDecoder, strict: string[]) {
    this.#decoder = decoder;
    this.#strict = strict;
  }

  coerce(value: Json, node: SchemaNode | undefined, path: string): FieldError | undefined {
    if (typeof value !== "object" || value === null || !node?.hasEmbedded) return undefined;
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) {
        const error = this.coerce(item, node.items, `${path}[${i}]`);
        if (error) return error;
      }
      return undefined;
    }
    for (const key of Object.keys(value)) {
      const error =
        (node.embedded ? this.#metaField(value, key, path) : undefined) ??
        this.#member(value, key, node, path);
      if (error) return error;
    }
    return undefined;
  }

  #member(object: JsonObject, key: string, node: SchemaNode, path: string): FieldError | undefined {
    const child = node.properties?.get(key);
    return child
      ? this.coerce(object[key]!, child, path ? `${path}.${key}` : key)
      : this.coerce(object[key]!, node.additional, `${path}[${key}]`);
  }

  #metaField(object: JsonObject, key: string, parent: string): FieldError | undefined {
    const value = object[key]!;
    const path = parent ? `${parent}.${key}` : key;
    if (key === "apiVersion" || key === "kind")
      return typeof value === "string"
        ? undefined
        : fieldError.invalid(path, value, "must be a string");
    if (key !== "metadata") return undefined;
    const reading = readMetadata(value, path, this.#decoder);
    if ("fault" in reading) return fieldError.invalid(path, value, reading.fault);
    object.metadata = reading.metadata;
    for (const text of reading.strictErrors) this.#strict.push(text);
    return undefined;
  }
}
