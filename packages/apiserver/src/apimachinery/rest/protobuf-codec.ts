// The protobuf codec as the registry uses it; protobuf/protobuf-codec.ts implements it.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
import type { GroupVersionKind, JsonObject } from "homeostat/api";
import type { BodyParts } from "../body-parts.ts";

/** An object decoded from a protobuf envelope. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  /** As parsed from JSON, with kind and apiVersion. */
  readonly object: JsonObject;
}

/** A list without its items. */
export interface ListHead {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: JsonObject;
}

/** Decodes and encodes Kubernetes' protobuf envelopes. */
export interface ProtobufCodec {
  /** Loads the codec, for the other functions to work; undefined once it is loaded. */
  load?(): Promise<void> | undefined;
  /**
   * Throws an Error whose message is sent to the client; `fallback` is the kind of an envelope that
   * names none.
   */
  decode(bytes: Uint8Array, fallback: GroupVersionKind): ProtobufBody;
  /** Returns undefined for a type that has no protobuf form. */
  encode?(object: JsonObject): Uint8Array | undefined;
  /** The message of an object without its envelope; undefined as for `encode`. */
  encodeMessage?(gvk: GroupVersionKind, object: JsonObject): Uint8Array | undefined;
  /** Puts a message into the envelope of its type. */
  seal?(type: { readonly apiVersion: string; readonly kind: string }, raw: Uint8Array): Uint8Array;
  /** A list in its envelope around the messages of its items; `list` has none. */
  encodeList?(list: ListHead, items: readonly Uint8Array[]): BodyParts | undefined;
  /** A length-prefixed watch event around an envelope. */
  frame?(type: string, envelope: Uint8Array): Uint8Array;
}
