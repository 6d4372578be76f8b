// Reads metadata as Go decodes ObjectMeta: unknown fields are dropped and reported.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta/coerce.go
// (GetObjectMetaWithOptions).
import { compareBytewise, type Json, type JsonObject, type ParsedJson } from "homeostat/api";
import { reasonOf } from "../../apimachinery/errors/server-error.ts";

/** Decodes ObjectMeta as Go does. Throws an Error with Go's message. */
export interface MetadataDecoder {
  decode(body: ParsedJson): {
    readonly object: JsonObject;
    readonly strictErrors: readonly string[];
  };
}

/**
 * ObjectMeta as Go encodes it again, with strict errors at full paths (`unknown field
 * "metadata.x"`), or the decoding error.
 */
export type MetadataReading =
  | { readonly metadata: JsonObject; readonly strictErrors: readonly string[] }
  | { readonly fault: string };

/** Reads the metadata at `path`, e.g. `metadata` or `spec.template.metadata`. */
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
    return { fault: reasonOf(error) };
  }
}
