// What a field manager needs to know of its endpoint. It must not know how objects are stored,
// decoded or defaulted; the caller passes these as functions.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields/fieldmanager.go (NewDefaultFieldManager).
import type { JsonObject } from "homeostat/api";
import type { DecodeResult } from "../../apimachinery/rest/version-codec.ts";
import type { SmdType } from "../../apimachinery/types/smd-type.ts";

/** One endpoint: a resource, version and subresource. */
export interface FieldManagerOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** "" for the main endpoint; `status`, `scale`, … otherwise. Every entry written carries it. */
  readonly subresource: string;
  /** The type of an apiVersion; undefined when that version does not exist (any more). */
  readonly typeOf: (apiVersion: string) => SmdType | undefined;
  /**
   * How to treat entries of versions that do not exist: "drop" them (built-in kinds), or "fail",
   * which drops all entries (custom resources).
   */
  readonly unknownVersions: "drop" | "fail";
  /**
   * Converts an object to another version; `typeOf` knows both. Must not mutate. Throws {@link
   * MergeError} when conversion fails.
   */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
  /**
   * An empty object of this version as the encoder writes it: `{apiVersion, kind}` for custom
   * resources, with the fields that Go never omits for built-in kinds (see `zeroStruct`).
   */
  readonly empty: () => JsonObject;
  /**
   * Decodes and defaults a merged object as the codec of this version does. May mutate its
   * argument. The messages of its errors go to the client.
   */
  readonly complete: (merged: JsonObject, takeEmptied?: TakeEmptied) => JsonObject;
  /**
   * By apiVersion: fields that writes through this endpoint cannot own, as paths of field names,
   * e.g. `[["status"]]`.
   */
  readonly resetFields: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** The parameters of an apply. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  /** RFC 3339, second precision. */
  readonly now: string;
  /** Receives what the merged object has empty. */
  readonly takeEmptied?: TakeEmptied;
}

/** See {@link DecodeResult.emptied}. */
export type TakeEmptied = (members: DecodeResult["emptied"]) => void;
