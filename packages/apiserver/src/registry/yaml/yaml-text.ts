// The text of a YAML body, up to the first byte that is no UTF-8, with what upstream says of that;
// a byte order mark can ask for UTF-16.
// Upstream: go.yaml.in/yaml/v2 (readerc.go, update_buffer).

/** A text, and the fault that follows it. */
export interface YamlText {
  readonly text: string;
  readonly fault?: string | undefined;
  /** UTF-8 if it is not given. */
  readonly encoding?: "utf-16" | undefined;
}

/** Upstream decodes as many bytes at once, and finds a fault when it needs their characters. */
const chunkLength = 512;

/** Where the chunk begins in which upstream finds the fault at a place. */
export function startOfChunk(text: string, place: number, encoding: YamlText["encoding"]): number {
  let start = 0;
  let filled = 0;
  for (let at = 0; at <= place;) {
    const code = text.codePointAt(at) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    const width = encoding === "utf-16" ? 2 * units : utf8Width(code);
    filled += width;
    if (filled > chunkLength) {
      start = at;
      filled = width;
    }
    at += units;
  }
  return start;
}

function utf8Width(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code > 0xffff ? 4 : 3;
}

/** Keeps a byte order mark, which the reader knows. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Begins the fault of a text that ends within a character. */
export const incomplete = "incomplete UTF-";

/** Decodes UTF-8, or UTF-16 after its byte order mark. */
export function decodeYamlText(bytes: Uint8Array): YamlText {
  if (bytes[0]! + bytes[1]! === 0x1fd && bytes[0]! >= 0xfe) return decodeUtf16(bytes);
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
  if (at + width > bytes.length) return `${incomplete}8 octet sequence`;
  let code = bytes[at]! & (0xff >> (width + 1));
  for (const byte of bytes.subarray(at + 1, at + width)) {
    if ((byte & 0xc0) !== 0x80) return "invalid trailing UTF-8 octet";
    code = (code << 6) | (byte & 0x3f);
  }
  if (code < least[width]!) return "invalid length of a UTF-8 sequence";
  const isCharacter = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? undefined : "invalid Unicode character";
}

const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Keeps the byte order mark. */
function decodeUtf16(bytes: Uint8Array): YamlText {
  const even = Buffer.from(bytes.subarray(0, bytes.length & ~1));
  const text = (bytes[0] === 0xfe ? even.swap16() : even).toString("utf16le");
  const at = text.search(half);
  const encoding = "utf-16";
  if (at < 0) {
    const fault = bytes.length % 2 ? `${incomplete}16 character` : undefined;
    return { text, fault, encoding };
  }
  const isLow = text.charCodeAt(at) >= 0xdc00;
  const isLast = at === text.length - 1;
  let fault = "expected low surrogate area";
  if (isLow) fault = "unexpected low surrogate area";
  else if (isLast) fault = `${incomplete}16 surrogate pair`;
  return { text: text.slice(0, at), fault, encoding };
}
