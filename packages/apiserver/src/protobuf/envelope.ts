// The envelope around every Kubernetes protobuf body: four magic bytes and a runtime.Unknown that
// names the type.
// Upstream: k8s.io/apimachinery/pkg/runtime/serializer/protobuf/protobuf.go,
// pkg/runtime/generated.proto (Unknown).
import { BodyParts } from "../apimachinery/body-parts.ts";
import { ProtobufError, WireReader } from "./wire-reader.ts";
import { WireWriter } from "./wire-writer.ts";

/** `k8s` and a zero byte. */
const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** An opened envelope; `raw` is a view of the message inside. */
export interface Envelope {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** True when the bytes begin as an envelope does. */
export const isEnvelope = (bytes: Uint8Array): boolean =>
  bytes.length >= magic.length && magic.every((byte, i) => bytes[i] === byte);

/** Opens an envelope. Throws {@link ProtobufError}. */
export function openEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new ProtobufError("empty data");
  if (!isEnvelope(bytes))
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix [${magic.join(" ")}]`,
    );
  if (bytes.length === magic.length) throw new ProtobufError("empty body");
  const reader = new WireReader(bytes, magic.length);
  const out = { apiVersion: "", kind: "", raw: new Uint8Array(0) };
  while (!reader.done) {
    const { field, wireType } = reader.tag("Unknown");
    if (field > 4) reader.skip(wireType);
    else if (wireType !== 2)
      throw new ProtobufError(
        `proto: wrong wireType = ${wireType} for field ${["TypeMeta", "Raw", "ContentEncoding", "ContentType"][field - 1]}`,
      );
    else if (field === 1) readTypeMeta(reader.message(), out);
    else if (field === 2) out.raw = reader.bytes() as Uint8Array<ArrayBuffer>;
    else reader.string();
  }
  return out;
}

function readTypeMeta(reader: WireReader, out: { apiVersion: string; kind: string }): void {
  while (!reader.done) {
    const { field, wireType } = reader.tag("TypeMeta");
    if (field > 2) reader.skip(wireType);
    else if (wireType !== 2)
      throw new ProtobufError(
        `proto: wrong wireType = ${wireType} for field ${field === 1 ? "APIVersion" : "Kind"}`,
      );
    else if (field === 1) out.apiVersion = reader.string();
    else out.kind = reader.string();
  }
}

/** Puts a message into an envelope. */
export function sealEnvelope({ apiVersion, kind, raw }: Envelope): Uint8Array {
  const writer = new WireWriter();
  open(writer, { apiVersion, kind });
  writer.bytes(2, raw);
  close(writer);
  return writer.finish();
}

/** {@link sealEnvelope} of a message in parts. */
export function sealParts(type: Omit<Envelope, "raw">, raw: BodyParts): BodyParts {
  const head = new WireWriter();
  open(head, type);
  head.bytesHead(2, raw.length);
  const tail = new WireWriter();
  close(tail);
  const sealed = new BodyParts();
  sealed.add(head.finish());
  sealed.append(raw);
  sealed.add(tail.finish());
  return sealed;
}

function open(writer: WireWriter, { apiVersion, kind }: Omit<Envelope, "raw">): void {
  writer.raw(magic);
  writer.nested(1, () => {
    writer.string(1, apiVersion);
    writer.string(2, kind);
  });
}

/** No content encoding, no content type. */
function close(writer: WireWriter): void {
  writer.string(3, "");
  writer.string(4, "");
}
