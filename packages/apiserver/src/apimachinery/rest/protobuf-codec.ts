// The protobuf codec as the registry uses it; protobuf/protobuf-codec.ts implements it.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go.
import type { GroupVersionKind, JsonObject } from "homeostat/api";

/** An object decoded from a protobuf envelope. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  /** As parsed from JSON, with kind and apiVersion. */
  readonly object: JsonObject;
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
  /** A length-prefixed watch event around an envelope. */
  frame?(type: string, envelope: Uint8Array): Uint8Array;
}
