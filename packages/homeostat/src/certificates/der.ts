// Writes the DER types that certificates consist of. Values are byte arrays, which composites
// concatenate. Reference: ITU-T X.690.

/** A tagged value, e.g. `tlv(0x05)` is NULL. */
export function tlv(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  return Buffer.concat([Uint8Array.of(tag), length(content.length), content]);
}

/** Definite length: one byte below 128, else the count of bytes and then the bytes. */
function length(n: number): Uint8Array {
  if (n < 128) return Uint8Array.of(n);
  const bytes: number[] = [];
  for (let rest = n; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest & 0xff);
  return Uint8Array.of(0x80 | bytes.length, ...bytes);
}

/** SEQUENCE. */
export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tlv(0x30, ...parts);
/** SET OF, with sorted elements. */
export const setOf = (...parts: readonly Uint8Array[]): Uint8Array =>
  tlv(0x31, ...parts.toSorted(Buffer.compare));
/** BOOLEAN TRUE. */
export const yes = (): Uint8Array => tlv(0x01, Uint8Array.of(0xff));
/** OCTET STRING around other DER. */
export const octets = (...parts: readonly Uint8Array[]): Uint8Array => tlv(0x04, ...parts);
/** UTF8String. */
export const utf8 = (text: string): Uint8Array => tlv(0x0c, Buffer.from(text));
/** PrintableString; the caller checks its characters. */
export const printable = (text: string): Uint8Array => tlv(0x13, Buffer.from(text));
/** BIT STRING of whole bytes. */
export const bits = (content: Uint8Array): Uint8Array => tlv(0x03, Uint8Array.of(0), content);

/**
 * BIT STRING of flags, the first being bit 0; without trailing zeros, as named bit lists require.
 */
export function flags(...set: readonly number[]): Uint8Array {
  const bytes = new Uint8Array((Math.max(...set) >> 3) + 1);
  for (const bit of set) bytes[bit >> 3]! |= 0x80 >> (bit & 7);
  return tlv(0x03, Uint8Array.of(7 - (Math.max(...set) & 7)), bytes);
}

/** INTEGER from big-endian unsigned bytes. */
export function integer(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const trimmed = bytes.subarray(start);
  return tlv(0x02, trimmed[0]! & 0x80 ? Buffer.concat([Uint8Array.of(0), trimmed]) : trimmed);
}

/** OBJECT IDENTIFIER, e.g. `oid("2.5.4.3")`. */
export function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tlv(0x06, Uint8Array.from([first * 40 + second, ...rest].flatMap(base128)));
}

function base128(n: number): number[] {
  const out = [n & 0x7f];
  for (let rest = n >>> 7; rest > 0; rest >>>= 7) out.unshift(0x80 | (rest & 0x7f));
  return out;
}

/** UTCTime up to 2049, GeneralizedTime from 2050 on, to the second. */
export function time(ms: number): Uint8Array {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:T]/g, "");
  return Number(digits.slice(0, 4)) < 2050
    ? tlv(0x17, Buffer.from(digits.slice(2)))
    : tlv(0x18, Buffer.from(digits));
}
