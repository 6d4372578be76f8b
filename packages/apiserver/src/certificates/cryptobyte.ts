// Reads elements of DER as strictly as Go's cryptobyte does: short tags and minimal lengths only.
// Upstream: golang.org/x/crypto/cryptobyte (asn1.go).

/** One element and what follows it. */
export interface ReadElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly rest: Uint8Array;
}

/** The first element; undefined if there is none that is encoded well. */
export function readElement(der: Uint8Array): ReadElement | undefined {
  const [tag, first] = der;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined;
  const size = first < 0x80 ? 0 : first & 0x7f;
  if (first >= 0x80 && (size === 0 || size > 4 || der.length < 2 + size)) return undefined;
  let length = size ? 0 : first;
  for (let i = 0; i < size; i++) length = length * 256 + der[2 + i]!;
  if (size && (length < 0x80 || der[2] === 0)) return undefined;
  const end = 2 + size + length;
  return end > der.length
    ? undefined
    : { tag, content: der.subarray(2 + size, end), rest: der.subarray(end) };
}

/** The first element if it has the tag. */
export function readTagged(der: Uint8Array, tag: number): ReadElement | undefined {
  const element = readElement(der);
  return element?.tag === tag ? element : undefined;
}

/** Whether the content of an OBJECT IDENTIFIER has arcs of 31 bits, minimally encoded. */
export function isObjectIdentifier(content: Uint8Array): boolean {
  let arc = 0;
  let isWhole = true;
  for (const byte of content) {
    if (isWhole && byte === 0x80) return false;
    arc = (isWhole ? 0 : arc * 128) + (byte & 0x7f);
    if (arc > 0x7fffffff) return false;
    isWhole = byte < 0x80;
  }
  return content.length > 0 && isWhole;
}

/** A leading INTEGER; undefined without one that is encoded minimally. */
export function readInteger(
  der: Uint8Array,
): { readonly value: bigint; readonly rest: Uint8Array } | undefined {
  const element = readTagged(der, 2);
  const [first, second = 0] = element?.content ?? [];
  if (!element || first === undefined) return undefined;
  const { content, rest } = element;
  if (content.length > 1 && ((first === 0 && second < 0x80) || (first === 0xff && second >= 0x80)))
    return undefined;
  const size = BigInt(`0x${Buffer.from(content).toString("hex")}`);
  return { value: BigInt.asIntN(content.length * 8, size), rest };
}
