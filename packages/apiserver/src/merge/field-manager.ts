// Keeps metadata.managedFields: who owns which field of an object, over creates, updates, patches and applies. Pure: the
// time comes in, nothing is mutated, and one instance may serve every request of its endpoint.
// It must not know how objects are stored, decoded or defaulted; the caller brings these as functions.
// Upstream: k8s.io/apimachinery/pkg/util/managedfields (fieldmanager.go, internal/*.go).
import type { JsonObject } from "homeostat/api";
import type { SmdType } from "./smd-type.ts";

/** What one endpoint (resource, version, subresource) tells its field manager. */
export interface FieldManagerOptions {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** "" for the main endpoint; `status`, `scale`, … otherwise. It becomes part of every entry written. */
  readonly subresource: string;
  /** The typed view of an apiVersion; undefined where that version does not exist (any more): its entries are dropped. */
  readonly typeOf: (apiVersion: string) => SmdType | undefined;
  /** Converts an object of one version into another; both are known to `typeOf`. Must not mutate. Throw {@link MergeError} where conversion fails. */
  readonly convert: (object: JsonObject, apiVersion: string) => JsonObject;
  /**
   * An object of this version with nothing set, as the encoder writes it: `{apiVersion, kind}` for custom resources, with
   * Go's never-omitted members for built-ins (see `zeroObject`).
   */
  readonly empty: () => JsonObject;
  /** Decodes and defaults a merged object as this version's codec does. May take over its argument. An error's message goes to the client. */
  readonly complete: (merged: JsonObject) => JsonObject;
  /** By apiVersion: what writes through this endpoint cannot own, as paths of field names, e.g. `[["status"]]`. */
  readonly resetFields: ReadonlyMap<string, readonly (readonly string[])[]>;
}

/** How an apply is made. */
export interface ApplyOptions {
  readonly manager: string;
  readonly force: boolean;
  /** RFC 3339, second precision. */
  readonly now: string;
}

/** Writes managedFields for one endpoint. Every object is in the endpoint's version. */
export interface FieldManager {
  /**
   * The object `next`, about to be stored in place of `live`, with managedFields brought up to date. For a create `live`
   * is `empty()`. Never fails: where the fields cannot be tracked, the result has no managedFields.
   */
  update(live: JsonObject, next: JsonObject, manager: string, now: string): JsonObject;
  /**
   * Merges the intent `applied` into `live` (`empty()` for a create). Throws ApiStatusError: 409 with one cause for each
   * conflict, 400 for a body of another type or with managedFields, 500 for an intent that does not fit the schema.
   */
  apply(live: JsonObject, applied: JsonObject, options: ApplyOptions): JsonObject;
}
