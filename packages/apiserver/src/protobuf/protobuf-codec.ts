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
import { BodyParts } from "../apimachinery/body-parts.ts";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import type { ListHead, ProtobufBody, ProtobufCodec } from "../apimachinery/rest/protobuf-codec.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { MessageDecoder } from "./decode-message.ts";
import { MessageEncoder } from "./encode-message.ts";
import { type Envelope, openEnvelope, sealEnvelope, sealParts } from "./envelope.ts";
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
    encodeMessage: (gvk, object) => encodeMessage(data, encoder, gvk, object),
    seal: ({ apiVersion, kind }, raw) => sealEnvelope({ apiVersion, kind, raw }),
    encodeList: (list, items) => encodeList(data, encoder, list, items),
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
  const raw = gv && encodeMessage(data, encoder, { ...gv, kind }, object);
  return raw && sealEnvelope({ apiVersion, kind, raw });
}

function encodeMessage(
  data: KindData,
  encoder: MessageEncoder,
  { group, version, kind }: GroupVersionKind,
  object: JsonObject,
): Uint8Array | undefined {
  const model = data.typeOf(group, version, kind)?.model;
  if (!model) return undefined;
  const writer = new WireWriter();
  encoder.encode(model, object, writer);
  return writer.finish();
}

/** Items stand behind the metadata: fields 1 and 2 of every list. */
function encodeList(
  data: KindData,
  encoder: MessageEncoder,
  { apiVersion, kind, metadata }: ListHead,
  items: readonly Uint8Array[],
): BodyParts | undefined {
  const gv = parseApiVersion(apiVersion);
  const found = gv && data.typeOf(gv.group, gv.version, kind);
  const field = found?.members.find(({ name }) => name === "items")?.number;
  if (!found || !field) return undefined;
  const writer = new WireWriter();
  encoder.encode(found.model, { metadata, items: [] }, writer);
  const message = new BodyParts();
  message.add(writer.finish());
  const heads = new Map<number, Uint8Array>();
  for (const item of items) {
    let head = heads.get(item.length);
    if (!head) heads.set(item.length, (head = headOf(field, item.length)));
    message.add(head);
    message.add(item);
  }
  return sealParts({ apiVersion, kind }, message);
}

function headOf(field: number, length: number): Uint8Array {
  const writer = new WireWriter();
  writer.bytesHead(field, length);
  return writer.finish();
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
