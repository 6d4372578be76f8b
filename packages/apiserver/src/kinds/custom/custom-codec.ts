// Reads and writes one version of a custom resource. Versions differ in apiVersion and schema only
// (conversion strategy None): conversion drops the fields that the other version lacks, and
// defaults are those of the storage version.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go
// (crdConversionRESTOptionsGetter), conversion/nop_converter.go.
import { encodeJson, type JsonObject } from "homeostat/api";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";
import { failure } from "../../apimachinery/errors/api-errors.ts";
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
  readonly conversion: "none" | "webhook";
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
  conversion,
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
    if (conversion === "webhook")
      throw unconverted(kind, String(object.apiVersion), `${group}/${target.version}`);
    object.apiVersion = `${group}/${target.version}`;
    pruneCustom(object, target);
    return object;
  };
  return {
    decode: (body) => decodeCustom(body, decoding),
    complete: (merged) => completeCustom(merged, decoding),
    fromStorage(stored) {
      const source = byApiVersion.get(String(stored.apiVersion));
      if (source) readCustom(stored, source);
      return convert(stored, schema);
    },
    toStorage: (object) => convert(object, storage),
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

/** Without its webhook, the object would differ from what upstream returns. */
function unconverted(kind: string, from: string, to: string): Error {
  return failure(
    501,
    "NotImplemented",
    `convert ${kind} from ${from} to ${to}: this server does not call conversion webhooks; use the storage version, or conversion strategy None`,
  );
}
