// Explains with Go's messages why Go cannot decode a certificate request. Knows shapes, no values.
// Upstream: Go's encoding/asn1 (asn1.go: parseTagAndLength, parseField, parseSequenceOf).

import { isUtf8 } from "node:buffer";

/** The shape of a Go type; `name` is the name of the type in messages. */
export type Asn1Shape =
  | { readonly is: "any" }
  | { readonly is: "raw"; readonly optional?: true }
  | { readonly is: "oid" | "bits" | "int" | "octets"; readonly name: string }
  | { readonly is: "bool"; readonly name: string; readonly optional: true }
  | { readonly is: "struct"; readonly name: string; readonly fields: readonly Asn1Shape[] }
  | {
      readonly is: "list";
      readonly name: string;
      readonly of: Asn1Shape;
      readonly isSet?: true;
      readonly tag?: number;
    };

/** An encoding does not fit its shape; the message is Go's. */
export class Asn1Error extends Error {}
const syntax = (what: string): Asn1Error => new Asn1Error(`asn1: syntax error: ${what}`);
const structure = (what: string): Asn1Error => new Asn1Error(`asn1: structure error: ${what}`);

interface Head {
  readonly class: number;
  readonly tag: number;
  readonly length: number;
  readonly isCompound: boolean;
  /** Offset of the content. */
  readonly start: number;
}

const tagOf = { bool: 1, int: 2, bits: 3, octets: 4, oid: 6, struct: 16, list: 16 } as const;
const parameters =
  "{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}";

/** Reads one value at `at` and returns its end. Throws {@link Asn1Error}. */
export function readShape(der: Uint8Array, at: number, shape: Asn1Shape): number {
  if (at === der.length) {
    if (isOptional(shape)) return at;
    throw syntax("sequence truncated");
  }
  const head = readHead(der, at);
  if (shape.is !== "any" && shape.is !== "raw" && !fits(head, shape)) {
    if (isOptional(shape)) return at;
    throw mismatch(head, shape);
  }
  const end = head.start + head.length;
  if (end > der.length) throw syntax("data truncated");
  readContent(der.subarray(head.start, end), head, shape);
  return end;
}

type TaggedShape = Exclude<Asn1Shape, { readonly is: "any" | "raw" }>;

const isOptional = (shape: Asn1Shape): boolean =>
  (shape.is === "raw" || shape.is === "bool") && shape.optional === true;

function tagWanted(shape: TaggedShape): number {
  if (shape.is !== "list") return tagOf[shape.is];
  return shape.tag ?? (shape.isSet ? 17 : tagOf.list);
}

const fits = (head: Head, shape: TaggedShape): boolean =>
  head.class === (shape.is === "list" && shape.tag !== undefined ? 2 : 0) &&
  head.tag === tagWanted(shape) &&
  head.isCompound === (shape.is === "struct" || shape.is === "list");

function mismatch(head: Head, shape: TaggedShape): Asn1Error {
  const found = `{class:${head.class} tag:${head.tag} length:${head.length} isCompound:${head.isCompound}}`;
  return structure(
    `tags don't match (${tagWanted(shape)} vs ${found}) ${parameters} ${shape.name} @${head.start}`,
  );
}

function readContent(content: Uint8Array, head: Head, shape: Asn1Shape): void {
  if (shape.is === "oid") readOid(content);
  else if (shape.is === "bits") readBits(content);
  else if (shape.is === "int") readInteger(content);
  else if (shape.is === "bool") readBoolean(content);
  else if (shape.is === "any") readAny(content, head);
  else if (shape.is === "struct") {
    let at = 0;
    for (const field of shape.fields) at = readShape(content, at, field);
  } else if (shape.is === "list") readList(content, shape.of);
}

/** Go checks the headers of all elements before it reads the first. */
function readList(content: Uint8Array, of: Asn1Shape): void {
  for (let at = 0; at < content.length;) {
    const head = readHead(content, at);
    const isSet = of.is === "list" && of.isSet;
    const isExpected =
      of.is === "any" ||
      of.is === "raw" ||
      (head.class === 0 && head.isCompound && head.tag === (isSet ? 17 : 16));
    if (!isExpected) throw structure("sequence tag mismatch");
    at = head.start + head.length;
    if (at > content.length) throw syntax("truncated sequence");
  }
  for (let at = 0; at < content.length;) at = readShape(content, at, of);
}

function readHead(der: Uint8Array, from: number): Head {
  const first = der[from]!;
  let at = from + 1;
  let tag = first & 0x1f;
  if (tag === 0x1f) {
    [tag, at] = readBase128(der, at);
    if (tag < 0x1f) throw syntax("non-minimal tag");
  }
  const next = (): number => {
    const byte = der[at++];
    if (byte === undefined) throw syntax("truncated tag or length");
    return byte;
  };
  const size = next();
  const length = size < 0x80 ? size : readLength(size & 0x7f, next);
  return { class: first >> 6, tag, length, isCompound: (first & 0x20) !== 0, start: at };
}

function readLength(bytes: number, next: () => number): number {
  if (bytes === 0) throw syntax("indefinite length found (not DER)");
  let length = 0;
  for (let i = 0; i < bytes; i++) {
    const byte = next();
    if (length >= 1 << 23) throw structure("length too large");
    length = length * 256 + byte;
    if (length === 0) throw structure("superfluous leading zeros in length");
  }
  if (length < 0x80) throw structure("non-minimal length");
  return length;
}

function readBase128(bytes: Uint8Array, from: number): [value: number, end: number] {
  let value = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (at - from === 5) throw structure("base 128 integer too large");
    if (at === from && byte === 0x80) throw syntax("integer is not minimally encoded");
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    if (value > 0x7fffffff) throw structure("base 128 integer too large");
    return [value, at + 1];
  }
  throw syntax("truncated base 128 integer");
}

function readOid(content: Uint8Array): void {
  if (!content.length) throw syntax("zero length OBJECT IDENTIFIER");
  for (let at = 0; at < content.length;) [, at] = readBase128(content, at);
}

function readBits(content: Uint8Array): void {
  const [padding] = content;
  if (padding === undefined) throw syntax("zero length BIT STRING");
  if (
    padding > 7 ||
    (content.length === 1 && padding > 0) ||
    (content.at(-1)! & ((1 << padding) - 1)) !== 0
  )
    throw syntax("invalid padding bits in BIT STRING");
}

function readBoolean(content: Uint8Array): void {
  if (content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff))
    throw syntax("invalid boolean");
}

function readInteger(content: Uint8Array): void {
  const [first, second = 0] = content;
  if (first === undefined) throw structure("empty integer");
  if (content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    throw structure("integer not minimally-encoded");
  if (content.length > 8) throw structure("integer too large");
}

/** A value of any type, usually a string of a name. */
function readAny(content: Uint8Array, { class: space, tag, isCompound }: Head): void {
  if (space !== 0 || isCompound) return;
  const text = Buffer.from(content).toString("latin1");
  if (tag === 2) readInteger(content);
  else if (tag === 3) readBits(content);
  else if (tag === 6) readOid(content);
  else if (tag === 12 && !isUtf8(content)) throw new Asn1Error("asn1: invalid UTF-8 string");
  else if (tag === 18 && !/^[0-9 ]*$/.test(text))
    throw syntax("NumericString contains invalid character");
  else if (tag === 19 && !/^[A-Za-z0-9'()+,\-./ :=?*&]*$/.test(text))
    throw syntax("PrintableString contains invalid character");
  else if (tag === 22 && content.some((byte) => byte >= 0x80))
    throw syntax("IA5String contains invalid character");
}
