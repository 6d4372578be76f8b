// Decodes percent escapes as Go does, whose strings are bytes and need not be UTF-8. An invalid
// byte becomes the lone surrogate U+DC00 + byte, which JSON writes as U+FFFD and quoteGo as `\xff`.
// Upstream: net/url (unescape).

/** `a%2Fb` → `a/b`; undefined for a percent sign without two digits behind it. */
export function unescapeBytes(text: string): string | undefined {
  if (!text.includes("%")) return text;
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return decodeLoosely(
      Buffer.from(
        text.replace(/(?:%[0-9a-fA-F]{2})+/g, (escapes) =>
          Buffer.from(escapes.replaceAll("%", ""), "hex").toString("latin1"),
        ),
        "latin1",
      ),
    );
  }
}

const longestCharacter = 4;

function decodeLoosely(bytes: Buffer): string {
  const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let out = "";
  for (let i = 0; i < bytes.length;) {
    const length = characterLength(strict, bytes, i);
    out += length
      ? strict.decode(bytes.subarray(i, i + length))
      : String.fromCharCode(0xdc00 + bytes[i]!);
    i += length || 1;
  }
  return out;
}

/** Bytes of the character at `i`; 0 when there is none. */
function characterLength(
  strict: InstanceType<typeof TextDecoder>,
  bytes: Buffer,
  i: number,
): number {
  for (let length = 1; length <= longestCharacter && i + length <= bytes.length; length++) {
    try {
      strict.decode(bytes.subarray(i, i + length));
      return length;
    } catch {
      continue;
    }
  }
  return 0;
}
