// Reads protobuf's text format far enough for published CEL test data: nested messages, repeated
// fields, scalars. Test-only. Upstream: protobuf.dev, Text Format Language Specification.

/** A message: every field holds the list of its occurrences. */
export interface TextMessage {
  readonly [field: string]: readonly TextValue[];
}
/**
 * Strings keep their bytes, because a bytes field may hold any. Words are enum names, numbers and
 * booleans as written.
 */
export type TextValue = TextMessage | { readonly bytes: Uint8Array } | { readonly word: string };

const token =
  /\s+|#[^\n]*|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<word>-?[A-Za-z0-9_.+-]+)|(?<extension>\[[^\]]+\])|(?<mark>[{}<>:;,[\]])/gsy;

/** Parses one message, e.g. `name: "basic" section { name: "x" }`. */
export function parseTextproto(text: string): TextMessage {
  const tokens = Array.from(text.matchAll(token), (match) => match.groups!).filter((groups) =>
    Object.values(groups).some((part) => part !== undefined),
  );
  let at = 0;
  const message = (end: string | undefined): TextMessage => {
    const fields: Record<string, TextValue[]> = {};
    while (at < tokens.length && (end === undefined || tokens[at]!.mark !== end)) {
      if (tokens[at]!.mark === "," || tokens[at]!.mark === ";") {
        at++;
        continue;
      }
      const name = tokens[at]!.word ?? tokens[at]!.extension!;
      at++;
      if (tokens[at]!.mark === ":") at++;
      (fields[name] ??= []).push(...values());
    }
    at++;
    return fields;
  };
  const values = (): TextValue[] => {
    if (tokens[at]!.extension === undefined && tokens[at]!.mark !== "[") return [value()];
    if (tokens[at]!.extension !== undefined) return parseInline(tokens[at++]!.extension!);
    at++;
    const items: TextValue[] = [];
    while (tokens[at]!.mark !== "]") {
      if (tokens[at]!.mark === ",") at++;
      else items.push(value());
    }
    at++;
    return items;
  };
  const value = (): TextValue => {
    const { mark, string, word } = tokens[at]!;
    at++;
    if (mark === "{") return message("}");
    if (mark === "<") return message(">");
    if (string === undefined) return { word: word! };
    const parts = [unquote(string)];
    while (tokens[at]?.string !== undefined) parts.push(unquote(tokens[at++]!.string!));
    return { bytes: Uint8Array.from(Buffer.concat(parts)) };
  };
  return message(undefined);
}

/** A list of words that the tokenizer took for an extension's name. */
const parseInline = (text: string): TextValue[] =>
  text
    .slice(1, -1)
    .split(",")
    .map((word) => ({ word: word.trim() }));

const simple: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11 };

function unquote(text: string): Uint8Array {
  const bytes: number[] = [];
  const body = text.slice(1, -1);
  for (const [whole, octal, hex, short, long, escaped] of body.matchAll(
    /\\([0-7]{1,3})|\\[xX]([0-9a-fA-F]{1,2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|\\(.)|[^\\]/gsu,
  )) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16));
    else if (short !== undefined || long !== undefined)
      bytes.push(...Buffer.from(String.fromCodePoint(Number.parseInt((short ?? long)!, 16))));
    else if (escaped !== undefined)
      bytes.push(...(simple[escaped] === undefined ? Buffer.from(escaped) : [simple[escaped]!]));
    else bytes.push(...Buffer.from(whole));
  }
  return Uint8Array.from(bytes);
}
