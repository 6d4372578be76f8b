// Reads and writes one version of a custom resource. With conversion strategy None versions differ
// in apiVersion and schema only: conversion drops the fields that the other version lacks, and
// defaults are those of the storage version. With strategy Webhook the webhook's answer is pruned.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (crdConversionRESTOptionsGetter), conversion/nop_converter.go.
import { encodeJson, type JsonObject } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import type {
  ConvertVersion,
  RemoteConversion,
} from "../../apimachinery/rest/remote-conversion.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import type { MetadataDecoder } from "../../schema/objectmeta/read-metadata.ts";
import {
  completeCustom,
  type CustomDecoding,
  type CustomSchema,
  decodeCustom,
  pruneCustom,
  readCustom,
} from "./custom-schema.ts";

/** What the codec of a version needs. */
export interface CustomCodecOptions {
  readonly group: string;
  readonly kind: string;
  readonly schema: CustomSchema;
  readonly storage: CustomSchema;
  /** All versions: objects may be stored in a former storage version. */
  readonly schemas: readonly CustomSchema[];
  readonly decoder: MetadataDecoder;
  readonly smd: SmdType;
  /** Absent with strategy None. */
  readonly converter?: ConvertVersion | undefined;
}

/** The codec of one version. */
export function createCustomCodec({
  group,
  kind,
  schema,
  storage,
  schemas,
  decoder,
  smd,
  converter,
}: CustomCodecOptions): VersionCodec {
  const byApiVersion = new Map(schemas.map((each) => [`${group}/${each.version}`, each]));
  const decoding: CustomDecoding = {
    group,
    kind,
    schema,
    schemaOf: (apiVersion) => byApiVersion.get(apiVersion),
    decoder,
  };
  const convert = (object: JsonObject, target: CustomSchema): JsonObject => {
    if (object.apiVersion === `${group}/${target.version}`) return object;
    if (converter) throw unconverted(kind, String(object.apiVersion), `${group}/${target.version}`);
    object.apiVersion = `${group}/${target.version}`;
    pruneCustom(object, target);
    return object;
  };
  const readStored = (stored: JsonObject): JsonObject => {
    const source = byApiVersion.get(String(stored.apiVersion));
    if (source) readCustom(stored, source);
    return stored;
  };
  return {
    decode: (body) => decodeCustom(body, decoding),
    complete: (merged) => completeCustom(merged, decoding),
    fromStorage: (stored) => convert(readStored(stored), schema),
    toStorage: (object) => convert(object, storage),
    ...(converter
      ? { remote: createRemote(converter, group, { readStored, schema, storage }) }
      : {}),
    // An object written through another version lacks the storage version's defaults until it is
    // read.
    storageIdentity: schema === storage && (schemas.length === 1 || !storage.node?.hasDefaults),
    goType: "unstructured",
    typeMeta: "required",
    protobuf: false,
    smd,
    encode: encodeJson,
    encodeStored: encodeJson,
    empty: () => ({ apiVersion: `${group}/${schema.version}`, kind }),
  };
}

function createRemote(
  converter: ConvertVersion,
  group: string,
  {
    readStored,
    schema,
    storage,
  }: {
    readonly readStored: (stored: JsonObject) => JsonObject;
    readonly schema: CustomSchema;
    readonly storage: CustomSchema;
  },
): RemoteConversion {
  const to = async (object: JsonObject, target: CustomSchema): Promise<JsonObject> => {
    const converted = await converter(object, `${group}/${target.version}`);
    pruneCustom(converted, target);
    return converted;
  };
  return {
    fromStorage: async (stored) => await to(readStored(stored), schema),
    toStorage: (object) => to(object, storage),
    convert: converter,
  };
}

/** The registry converts by `remote` before it comes here. */
function unconverted(kind: string, from: string, to: string): Error {
  return plainError(`convert ${kind} from ${from} to ${to}: not converted yet; this is a bug`);
}
