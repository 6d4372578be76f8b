// Decodes and encodes Kubernetes' protobuf bodies with the kind data. Custom resources have no
// protobuf form.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go,
// k8s.io/apiserver/pkg/endpoints/handlers/rest.go (transformDecodeError).
import {
  formatApiVersion,
  type GroupVersionKind,
  type JsonObject,
  parseApiVersion,
} from "homeostat/api";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import type { ProtobufBody, ProtobufCodec } from "../apimachinery/rest/protobuf-codec.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { MessageDecoder } from "./decode-message.ts";
import { MessageEncoder } from "./encode-message.ts";
import { type Envelope, openEnvelope, sealEnvelope } from "./envelope.ts";
import { ProtobufError, WireReader } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

/** The source position of upstream's scheme, which a message contains. */
const scheme = '"pkg/runtime/scheme.go:111"';

/** Creates a codec. */
export function createProtobufCodec(data: KindData): Omit<Required<ProtobufCodec>, "load"> {
  const decoder = new MessageDecoder(data);
  const encoder = new MessageEncoder(data);
  return {
    decode: (bytes, fallback) => decodeBody(data, decoder, bytes, fallback),
    encode: (object) => encodeBody(data, encoder, object),
    frame: encodeWatchFrame,
  };
}

/** Errors before the type is known have plain messages; later ones name both types. */
function decodeBody(
  data: KindData,
  decoder: MessageDecoder,
  bytes: Uint8Array,
  fallback: GroupVersionKind,
): ProtobufBody {
  const envelope = openEnvelope(bytes);
  const actual = typeOf(envelope, fallback);
  try {
    return {
      apiVersion: formatApiVersion(actual),
      kind: actual.kind,
      object: decodeAs(data, decoder, actual, envelope.raw),
    };
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw badRequestError(
      `${actual.kind} in version ${quoteGo(actual.version)} cannot be handled as a ${fallback.kind}: ${error.message}`,
    );
  }
}

function typeOf(envelope: Envelope, fallback: GroupVersionKind): GroupVersionKind {
  const claimed = parseApiVersion(envelope.apiVersion);
  const gv = claimed?.version ? claimed : { group: fallback.group, version: fallback.version };
  return { group: gv.group, version: gv.version, kind: envelope.kind || fallback.kind };
}

function decodeAs(
  data: KindData,
  decoder: MessageDecoder,
  { group, version, kind }: GroupVersionKind,
  raw: Uint8Array,
): JsonObject {
  const apiVersion = formatApiVersion({ group, version });
  const model = (data.typeOf(group, version, kind) ?? sharedType(data, version, kind))?.model;
  if (!model)
    throw new ProtobufError(
      `no kind ${quoteGo(kind)} is registered for version ${quoteGo(apiVersion)} in scheme ${scheme}`,
    );
  return { apiVersion, kind, ...decoder.decode(model, new WireReader(raw)) };
}

/** Every group registers the options kinds of meta/v1; Status belongs to no group. */
function sharedType(data: KindData, version: string, kind: string): ReturnType<KindData["typeOf"]> {
  return /Options$|^Status$|^WatchEvent$/.test(kind) || version === ""
    ? data.typeOf("", "v1", kind)
    : undefined;
}

function encodeBody(
  data: KindData,
  encoder: MessageEncoder,
  object: JsonObject,
): Uint8Array | undefined {
  const apiVersion = typeof object["apiVersion"] === "string" ? object["apiVersion"] : "";
  const kind = typeof object["kind"] === "string" ? object["kind"] : "";
  // Documents of the legacy group's discovery carry no apiVersion, neither inside nor on the
  // envelope.
  const gv = parseApiVersion(apiVersion || "v1");
  const model = gv && data.typeOf(gv.group, gv.version, kind)?.model;
  if (!model) return undefined;
  const writer = new WireWriter();
  encoder.encode(model, object, writer);
  return sealEnvelope({ apiVersion, kind, raw: writer.finish() });
}

/**
 * One event of a watch in protobuf: a length of four bytes, big-endian, then a WatchEvent around
 * the object's envelope. The media type of such a stream is
 * `application/vnd.kubernetes.protobuf;stream=watch`.
 */
export function encodeWatchFrame(type: string, envelope: Uint8Array): Uint8Array {
  const writer = new WireWriter();
  writer.string(1, type);
  writer.nested(2, () => writer.bytes(1, envelope));
  const event = writer.finish();
  const frame = new Uint8Array(4 + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, 4);
  return frame;
}
