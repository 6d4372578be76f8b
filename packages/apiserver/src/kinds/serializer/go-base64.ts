// Checks base64 as Go's StdEncoding decoder does, with the byte of its error; Node's decoder
// accepts any input.
// Upstream: Go's encoding/base64 (decodeQuantum).

/** Go's error for text that is not padded standard base64; line breaks are allowed. */
export function checkGoBase64(text: string): string | undefined {
  const at = firstCorruptByte(Buffer.from(text, "utf8"));
  return at < 0 ? undefined : `illegal base64 data at input byte ${at}`;
}

const alphabet = new Set(
  Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
);
const pad = 0x3d;
const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

function firstCorruptByte(bytes: Uint8Array): number {
  let inQuantum = 0;
  let i = 0;
  const skipBreaks = (): void => {
    while (isBreak(bytes[i])) i++;
  };
  for (;;) {
    skipBreaks();
    if (i === bytes.length) return inQuantum === 0 ? -1 : i - inQuantum;
    const byte = bytes[i++]!;
    if (alphabet.has(byte)) {
      inQuantum = (inQuantum + 1) % 4;
      continue;
    }
    if (byte !== pad || inQuantum < 2) return i - 1;
    if (inQuantum === 2) {
      skipBreaks();
      if (i === bytes.length) return bytes.length;
      if (bytes[i] !== pad) return i - 1;
      i++;
    }
    skipBreaks();
    return i < bytes.length ? i : -1;
  }
}
