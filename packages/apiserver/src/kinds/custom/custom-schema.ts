// Decodes objects by the schema of a version: prunes, coerces metadata, applies defaults.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (unstructuredSchemaCoercer).
import { isObject, type Json, type JsonObject, type ParsedJson } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import { applyDefaults, pruneNulls } from "../../schema/defaulting/apply-defaults.ts";
import { compileSchema } from "../../schema/structural/compile-schema.ts";
import { coerceEmbeddedMetadata } from "../../schema/objectmeta/coerce-embedded-metadata.ts";
import { type MetadataDecoder, readMetadata } from "../../schema/objectmeta/read-metadata.ts";
import type { JsonSchemaProps } from "../../schema/json-schema-props.ts";
import { pruneResource } from "../../schema/pruning/prune-unknown.ts";
import type { SchemaNode } from "../../schema/schema-node.ts";
import type { DecodeResult } from "../../apimachinery/rest/version-codec.ts";

/** The compiled schema of one version. */
export interface CustomSchema {
  readonly version: string;
  /**
   * Undefined for a version without a schema: everything outside metadata is pruned, unless unknown
   * fields are preserved.
   */
  readonly node: SchemaNode | undefined;
  readonly props: JsonSchemaProps | undefined;
  readonly pruning: "prunes" | "keeps unknown fields";
}

/** Compiles a version's schema. */
export function createCustomSchema(
  version: string,
  props: JsonSchemaProps | undefined,
  pruning: CustomSchema["pruning"],
): CustomSchema {
  return { version, props, pruning, node: props && compileSchema(props) };
}

/** What decoding a version needs. */
export interface CustomDecoding {
  readonly group: string;
  readonly kind: string;
  readonly schema: CustomSchema;
  /** The schema of an apiVersion in a body; a patch may change it, which is refused later. */
  readonly schemaOf: (apiVersion: string) => CustomSchema | undefined;
  readonly decoder: MetadataDecoder;
}

/** Decodes a body. Throws upstream's 400, whose `cause` carries the bare message. */
export function decodeCustom(body: ParsedJson, decoding: CustomDecoding): DecodeResult {
  const object = body.value as JsonObject;
  const strictErrors = body.duplicates.map((path) => `duplicate field "${path}"`);
  const metadata = decodeMetadata(object, strictErrors, decoding);
  const schema = claimedSchema(object, decoding);
  if (schema) {
    const implied = { apiVersion: object.apiVersion, kind: object.kind };
    for (const path of pruneCustom(object, schema)) strictErrors.push(`unknown field "${path}"`);
    coerceEmbedded(object, schema, strictErrors, decoding);
    for (const [field, value] of Object.entries(implied))
      if (value !== undefined) object[field] = value;
  }
  if (metadata) object.metadata = metadata;
  applyDefaults(object, schema?.node);
  return { object, strictErrors };
}

/**
 * Decodes the metadata of a merged apply, prunes what its type accepts and its schema does not
 * specify, and sets defaults. Nulls stay for validation to refuse.
 */
export function completeCustom(object: JsonObject, decoding: CustomDecoding): JsonObject {
  const metadata = decodeMetadata(object, [], decoding);
  if (metadata) object.metadata = metadata;
  const { schema } = decoding;
  if (schema.pruning === "prunes") pruneResource(object, schema.node);
  applyDefaults(object, schema.node);
  return object;
}

/** The schema of the body's version: none for another kind, an empty one for an unknown version. */
function claimedSchema(
  { apiVersion, kind }: JsonObject,
  { group, kind: own, schema, schemaOf }: CustomDecoding,
): CustomSchema | undefined {
  if (apiVersion === `${group}/${schema.version}` && kind === own) return schema;
  if (kind !== own || typeof apiVersion !== "string" || !apiVersion.startsWith(`${group}/`))
    return undefined;
  return (
    schemaOf(apiVersion) ?? {
      version: "",
      node: undefined,
      props: undefined,
      pruning: schema.pruning,
    }
  );
}

/** Removes unknown fields and nulls that the schema does not allow. Returns the unknown paths. */
export function pruneCustom(object: JsonObject, schema: CustomSchema): readonly string[] {
  if (schema.pruning === "keeps unknown fields") return [];
  const removed = pruneResource(object, schema.node);
  pruneNulls(object, schema.node);
  return removed;
}

/** Prunes and defaults an object that is stored in this version. */
export function readCustom(object: JsonObject, schema: CustomSchema): void {
  pruneCustom(object, schema);
  applyDefaults(object, schema.node);
}

function coerceEmbedded(
  object: JsonObject,
  schema: CustomSchema,
  strictErrors: string[],
  decoding: CustomDecoding,
): void {
  const fault = schema.node?.hasEmbedded
    ? coerceEmbeddedMetadata(object, schema.node, decoding.decoder, strictErrors)
    : undefined;
  if (fault) throw undecodable(`${fault.field}: ${fault.body}`, decoding);
}

function decodeMetadata(
  object: JsonObject,
  strictErrors: string[],
  decoding: CustomDecoding,
): JsonObject | undefined {
  const given: Json | undefined = Object.hasOwn(object, "metadata") ? object.metadata : undefined;
  if (given === undefined) return undefined;
  const reading = readMetadata(given, "metadata", decoding.decoder);
  if ("fault" in reading) throw undecodable(reading.fault, decoding);
  for (const text of reading.strictErrors) strictErrors.push(text);
  return isObject(reading.metadata) ? reading.metadata : {};
}

function undecodable(why: string, { schema, kind }: CustomDecoding): Error {
  const error = failure(
    400,
    "BadRequest",
    `${kind} in version ${JSON.stringify(schema.version)} cannot be handled as a ${kind}: ${why}`,
  );
  error.cause = new Error(why);
  return error;
}
