// Conversion that takes time, because a webhook does it. Nothing below the registry waits for it.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/conversion.
import type { JsonObject } from "homeostat/api";

/** Converts an object to another version; rejects with upstream's message. */
export type ConvertVersion = (object: JsonObject, apiVersion: string) => Promise<JsonObject>;

/** Conversions of one version of a kind. May take over their arguments. */
export interface RemoteConversion {
  /** Reads a stored object in this version. */
  fromStorage(stored: JsonObject): Promise<JsonObject>;
  /** Converts this version's object to the storage version. */
  toStorage(object: JsonObject): Promise<JsonObject>;
  /** Converts between any two versions, without pruning. */
  readonly convert: ConvertVersion;
}
