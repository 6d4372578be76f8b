// Encodes and decodes stored objects. The head of every object is `kind, apiVersion, metadata`, as
// upstream's own encoders write built-ins; the rest is in bytewise order, so equal objects have
// equal bytes.
import { encodeJson, type JsonObject, parseExact } from "homeostat/api";
import { encodeStruct } from "./struct-order.ts";

const encoder = new TextEncoder();

/** Parses stored bytes; the caller owns the result. */
export function parseStored(bytes: Uint8Array): JsonObject {
  return parseExact(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  ) as JsonObject;
}

/** The bytes of an object as they are stored and sent; `encode` knows the order of its members. */
export function encodeObjectBytes(
  object: JsonObject,
  encode: (object: JsonObject) => string = encodeObjectText,
): Uint8Array {
  return encoder.encode(encode(object));
}

/** {@link encodeObjectBytes} as text. */
export function encodeObjectText(object: JsonObject): string {
  return encodeStruct(object) ?? encodeWithHead(object);
}

function encodeWithHead(object: JsonObject): string {
  const { kind, apiVersion, metadata, ...rest } = object;
  const head = [
    ...(kind === undefined ? [] : [`"kind":${encodeJson(kind)}`]),
    ...(apiVersion === undefined ? [] : [`"apiVersion":${encodeJson(apiVersion)}`]),
    ...(metadata === undefined ? [] : [`"metadata":${encodeJson(metadata)}`]),
  ].join(",");
  const tail = encodeJson(rest).slice(1);
  return `{${head}${head && tail !== "}" ? "," : ""}${tail}`;
}

/**
 * Bytes of `kind` and `apiVersion` at the head of an object, up to and including the comma: which
 * the items of typed lists leave out.
 */
export function headLength(gvk: { readonly kind: string; readonly apiVersion: string }): number {
  return Buffer.byteLength(
    `{"kind":${encodeJson(gvk.kind)},"apiVersion":${encodeJson(gvk.apiVersion)},`,
  );
}
