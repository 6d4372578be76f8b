// How one version of a kind is decoded, encoded and converted.
// Upstream: k8s.io/apimachinery/pkg/runtime (Decoder, Encoder, ObjectConvertor).
import type { Json, JsonObject, ParsedJson } from "homeostat/api";
import type { PatchType } from "../types/patch-meta.ts";
import type { RemoteConversion } from "./remote-conversion.ts";
import type { SmdType } from "../types/smd-type.ts";

/** A body in this version, pruned and defaulted. */
export interface DecodeResult {
  readonly object: JsonObject;
  /**
   * The errors that `fieldValidation` reports, in upstream's order: `duplicate field "spec.a"`,
   * `unknown field "spec.b"`.
   */
  readonly strictErrors: readonly string[];
  /** The members that the body has empty; absent where nothing tells them from unset ones. */
  readonly emptied?: readonly EmptiedMember[];
}

/**
 * A list, map or byte string that a body has empty. Such a member is no part of an object's JSON
 * form, but upstream's structs keep it until they are stored, and messages print it.
 */
export interface EmptiedMember {
  readonly path: readonly (string | number)[];
  readonly value: Json;
}

/**
 * Where a value comes from that is decoded: the text of a body, or the unstructured content of a
 * patched object, whose numbers upstream converts to integers of a Go struct.
 */
export type DecodeSource = "text" | "unstructured";

/** Reads and writes one version of a kind. */
export interface VersionCodec {
  /**
   * Turns a parsed body of this very group, version and kind into an object: unknown fields pruned
   * (and reported), nulls and defaults treated as upstream does, metadata coerced. Throws an
   * ApiStatusError (400) if the body cannot be decoded. May take over and mutate `body.value`.
   * `source` is `text` by default.
   */
  decode(body: ParsedJson, source?: DecodeSource): DecodeResult;
  /**
   * Converts a stored object to this version; the argument may be taken over. Identity when
   * `storageIdentity`.
   */
  fromStorage(stored: JsonObject): JsonObject;
  /** Converts this version's object to the storage version; the argument may be taken over. */
  toStorage(object: JsonObject): JsonObject;
  /**
   * Set if a webhook converts: the functions above then know only objects of this version, and
   * others must have been converted before.
   */
  readonly remote?: RemoteConversion;
  /**
   * True when stored bytes can be handed out as they are: one version, and neither pruning nor
   * defaults could change them.
   */
  readonly storageIdentity: boolean;
  /**
   * What upstream decodes objects into. Decides the members of lists and their order, how patches
   * are decoded, and the Go types that some messages name.
   */
  readonly goType: "struct" | "unstructured";
  /**
   * `defaulted`: the endpoint's apiVersion and kind stand in for those that a body leaves out.
   * `required`: a body states both, and validation checks the kind.
   */
  readonly typeMeta: "defaulted" | "required";
  /** Other apiVersions in which a body of the kind may come; it is decoded as this one. */
  readonly accepts?: readonly string[];
  /** Objects have a protobuf form; of others only their metadata has one. */
  readonly protobuf: boolean;
  /** The type that server-side apply and managedFields work with. */
  readonly smd: SmdType;
  /**
   * Where strategic merge patch finds its merge keys. Without it strategic merge patches are
   * answered 415.
   */
  readonly patchMeta?: PatchType;
  /**
   * An object of this version with nothing set, as the encoder writes it; `{apiVersion, kind}` when
   * absent.
   */
  readonly empty?: () => JsonObject;
  /**
   * Brings an object that admission has seen into the form that storage keeps, in place: empty
   * lists, which managers own, become null.
   */
  readonly settle?: (object: JsonObject) => void;
  /**
   * Sets the defaults that follow from what admission has added, in place, before the object is
   * stored. Upstream sets defaults each time it reads an object from etcd.
   */
  readonly redefault?: (object: JsonObject) => void;
  /** JSON with the members of Go structs in Go's order; bytewise when absent. */
  readonly encode?: (object: JsonObject) => string;
  /** The same for an object in the storage version. */
  readonly encodeStored?: (stored: JsonObject) => string;
  /**
   * Completes the result of an apply where decoding would do too much: nulls stay for validation to
   * refuse. May take over its argument.
   */
  readonly complete?: (merged: JsonObject) => JsonObject;
}
