// Reads DER as far as certificate requests need it: elements with their tags and offsets.
// Reference: ITU-T X.690.

/** One element of an encoding; its content is in `der` from `start` to `end`. */
export interface DerElement {
  readonly der: Buffer;
  readonly tag: number;
  /** Offset of the element, with its tag. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** The sequence of elements in `der`, up to the first that is malformed. */
export function readDer(der: Buffer, at = 0, end = der.length): readonly DerElement[] {
  const found: DerElement[] = [];
  for (let from = at; from < end;) {
    const first = der[from + 1];
    if (first === undefined) return found;
    const extra = first < 0x80 ? 0 : first & 0x7f;
    let size = extra ? 0 : first;
    for (let i = 0; i < extra; i++) size = size * 256 + (der[from + 2 + i] ?? 0);
    const start = from + 2 + extra;
    if (extra > 4 || start + size > end) return found;
    found.push({ der, tag: der[from]!, from, start, end: start + size });
    from = start + size;
  }
  return found;
}

/** The children of an element; empty when it is absent or has none. */
export const inside = (element: DerElement | undefined): readonly DerElement[] =>
  element ? readDer(element.der, element.start, element.end) : [];

export const contentOf = ({ der, start, end }: DerElement): Buffer => der.subarray(start, end);

/** The bits of a BIT STRING, without the unused ones at its end. */
export function bitsOf(element: DerElement): Buffer {
  const [unused = 0, ...bytes] = contentOf(element);
  return Buffer.from(
    unused
      ? bytes.map((byte, i) => (byte >> unused) | ((bytes[i - 1] ?? 0) << (8 - unused)))
      : bytes,
  );
}

/** The encoded element, with its tag. */
export const rawOf = ({ der, from, end }: DerElement): Buffer => der.subarray(from, end);

/** `2.5.4.3` of an OBJECT IDENTIFIER. */
export function readOid(element: DerElement): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of contentOf(element)) {
    number = number * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    numbers.push(number);
    number = 0;
  }
  const [head = 0, ...rest] = numbers;
  const first = Math.min(2, Math.floor(head / 40));
  return [first, head - first * 40, ...rest].join(".");
}
