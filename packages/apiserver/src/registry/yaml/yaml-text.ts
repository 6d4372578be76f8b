// The text of a YAML body, up to the first byte that is no UTF-8, with what upstream says of that.
// Upstream: go.yaml.in/yaml/v2 (readerc.go, update_buffer).

/** A text, and the fault that follows it. */
export interface YamlText {
  readonly text: string;
  readonly fault?: string | undefined;
}

/** Keeps a byte order mark, which the reader knows. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The fault of a text that ends within a character. */
export const incomplete = "incomplete UTF-8 octet sequence";

/** Decodes UTF-8. */
export function decodeYamlText(bytes: Uint8Array): YamlText {
  const whole = decoder.decode(bytes);
  if (!whole.includes("\ufffd")) return { text: whole };
  for (let at = 0; at < bytes.length; at += widthOf(bytes[at]!)) {
    const fault = bytes[at]! < 0x80 ? undefined : faultAt(bytes, at);
    if (fault !== undefined) return { text: decoder.decode(bytes.subarray(0, at)), fault };
  }
  return { text: whole };
}

/** The length that the first byte of a character announces; 0 if none can begin with it. */
function widthOf(byte: number): number {
  if (byte < 0x80) return 1;
  if ((byte & 0xe0) === 0xc0) return 2;
  if ((byte & 0xf0) === 0xe0) return 3;
  return (byte & 0xf8) === 0xf0 ? 4 : 0;
}

/** The least character of a width; lesser ones are written shorter. */
const least = [0, 0, 0x80, 0x800, 0x10000];

function faultAt(bytes: Uint8Array, at: number): string | undefined {
  const width = widthOf(bytes[at]!);
  if (width === 0) return "invalid leading UTF-8 octet";
  if (at + width > bytes.length) return incomplete;
  let code = bytes[at]! & (0xff >> (width + 1));
  for (const byte of bytes.subarray(at + 1, at + width)) {
    if ((byte & 0xc0) !== 0x80) return "invalid trailing UTF-8 octet";
    code = (code << 6) | (byte & 0x3f);
  }
  if (code < least[width]!) return "invalid length of a UTF-8 sequence";
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? undefined : "invalid Unicode character";
}
