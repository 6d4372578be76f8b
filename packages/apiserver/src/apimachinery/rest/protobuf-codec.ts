// What the registry asks of protobuf; the codec itself lives elsewhere and is handed in.
import type { GroupVersionKind, JsonObject } from "homeostat/api";

/** An object out of a protobuf envelope. */
export interface ProtobufBody {
  readonly apiVersion: string;
  readonly kind: string;
  /** As JSON would have been parsed; with kind and apiVersion. */
  readonly object: JsonObject;
}

/** Kubernetes' protobuf envelopes to objects and back. */
export interface ProtobufCodec {
  /**
   * Throws an Error whose message goes to the client; `fallback` names the type where the envelope
   * names none.
   */
  decode(bytes: Uint8Array, fallback: GroupVersionKind): ProtobufBody;
  /** undefined for a type that has no protobuf form. */
  encode?(object: JsonObject): Uint8Array | undefined;
  /** One event of a watch around an envelope, with its length in front. */
  frame?(type: string, envelope: Uint8Array): Uint8Array;
}
