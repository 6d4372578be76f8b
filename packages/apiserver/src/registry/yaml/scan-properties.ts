// Scans anchors, aliases, tags and directives.
// Upstream: go.yaml.in/yaml/v2 (scannerc.go, scan_anchor, scan_tag, scan_directive).
import {
  isBlank,
  isBreakOrEnd,
  isDigit,
  isNameCharacter,
  isSpaceOrEnd,
  type YamlReader,
} from "./yaml-reader.ts";

/** `!handle!suffix`; a tag in full (`!<suffix>`) has no handle. */
export interface ScannedTag {
  readonly handle: string;
  readonly suffix: string;
}

/** `%YAML major.minor`, or `%TAG handle prefix`. */
export type ScannedDirective =
  | { readonly name: "YAML"; readonly version: string }
  | { readonly name: "TAG"; readonly handle: string; readonly prefix: string };

const exclamation = 0x21;
const percent = 0x25;

/** Scans the name of an anchor (`&a`) or alias (`*a`). */
export function scanAnchor(reader: YamlReader): string {
  reader.pos++;
  const name = reader.readName();
  const end = reader.text.charAt(reader.pos);
  if (name === "" || !(isSpaceOrEnd(reader.code()) || "?:,]}%@`".includes(end)))
    reader.fail("did not find expected alphabetic or numeric character");
  return name;
}

/** Scans a tag. */
export function scanTag(reader: YamlReader): ScannedTag {
  const tag = reader.code(1) === 0x3c ? scanVerbatimTag(reader) : scanShortTag(reader);
  if (!isSpaceOrEnd(reader.code())) reader.fail("did not find expected whitespace or line break");
  return tag;
}

function scanVerbatimTag(reader: YamlReader): ScannedTag {
  reader.pos += 2;
  const suffix = scanUri(reader, "");
  if (reader.code() !== 0x3e) reader.fail("did not find the expected '>'");
  reader.pos++;
  return { handle: "", suffix };
}

function scanShortTag(reader: YamlReader): ScannedTag {
  const handle = scanHandle(reader);
  if (handle.length > 1 && handle.endsWith("!")) return { handle, suffix: scanUri(reader, "") };
  const suffix = scanUri(reader, handle);
  return suffix === "" ? { handle: "", suffix: "!" } : { handle: "!", suffix };
}

/** `!`, `!name` or `!name!`. */
function scanHandle(reader: YamlReader): string {
  if (reader.code() !== exclamation) reader.fail("did not find expected '!'");
  reader.pos++;
  const handle = `!${reader.readName()}`;
  if (reader.code() !== exclamation) return handle;
  reader.pos++;
  return `${handle}!`;
}

/** Scans a URI that goes on after a head, of which the first character does not belong to it. */
function scanUri(reader: YamlReader, head: string): string {
  let uri = head.slice(1);
  let length = head.length;
  for (let code = reader.code(); isUriCharacter(code); code = reader.code(), length++) {
    if (code === percent) uri += scanEscapedCharacter(reader);
    else {
      uri += reader.text.charAt(reader.pos);
      reader.pos++;
    }
  }
  if (length === 0) reader.fail("did not find expected tag URI");
  return uri;
}

const isUriCharacter = (code: number): boolean =>
  isNameCharacter(code) ||
  (code > 0 && code < 0x80 && ";/?:@&=+$,.!~*'()[]%".includes(String.fromCharCode(code)));

/** `%C3%A9`: the octets of one character in UTF-8. */
function scanEscapedCharacter(reader: YamlReader): string {
  const octets = [scanOctet(reader)];
  const length = utf8Length(octets[0]!);
  if (length === 0) reader.fail("found an incorrect leading UTF-8 octet");
  reader.pos += 3;
  for (; octets.length < length; reader.pos += 3) {
    const octet = scanOctet(reader);
    if ((octet & 0xc0) !== 0x80) reader.fail("found an incorrect trailing UTF-8 octet");
    octets.push(octet);
  }
  return Buffer.from(octets).toString("utf8");
}

function scanOctet(reader: YamlReader): number {
  const [, digits] =
    /^%([0-9A-Fa-f]{2})$/.exec(reader.text.slice(reader.pos, reader.pos + 3)) ?? [];
  return Number.parseInt(digits ?? reader.fail("did not find URI escaped octet"), 16);
}

function utf8Length(octet: number): number {
  if (octet < 0x80) return 1;
  if ((octet & 0xe0) === 0xc0) return 2;
  if ((octet & 0xf0) === 0xe0) return 3;
  return (octet & 0xf8) === 0xf0 ? 4 : 0;
}

/** Scans a directive with its line. */
export function scanDirective(reader: YamlReader): ScannedDirective {
  reader.pos++;
  const name = reader.readName();
  if (name === "") reader.fail("could not find expected directive name");
  if (!isSpaceOrEnd(reader.code())) reader.fail("found unexpected non-alphabetical character");
  if (name !== "YAML" && name !== "TAG") reader.fail("found unknown directive name");
  reader.skipBlanks();
  const directive: ScannedDirective =
    name === "YAML" ? { name, version: scanVersion(reader) } : { name, ...scanPrefix(reader) };
  reader.skipBlanks();
  reader.skipComment();
  if (!isBreakOrEnd(reader.code())) reader.fail("did not find expected comment or line break");
  reader.readBreak();
  return directive;
}

/** `1.1`, without leading zeros. */
function scanVersion(reader: YamlReader): string {
  const major = scanVersionNumber(reader);
  if (reader.code() !== 0x2e) reader.fail("did not find expected digit or '.' character");
  reader.pos++;
  return `${major}.${scanVersionNumber(reader)}`;
}

function scanVersionNumber(reader: YamlReader): number {
  const start = reader.pos;
  while (isDigit(reader.code())) {
    if (reader.pos - start === 2) reader.fail("found extremely long version number");
    reader.pos++;
  }
  if (reader.pos === start) reader.fail("did not find expected version number");
  return Number(reader.text.slice(start, reader.pos));
}

function scanPrefix(reader: YamlReader): { handle: string; prefix: string } {
  const handle = scanHandle(reader);
  if (handle !== "!" && !handle.endsWith("!")) reader.fail("did not find expected '!'");
  if (!isBlank(reader.code())) reader.fail("did not find expected whitespace");
  reader.skipBlanks();
  const prefix = scanUri(reader, "");
  if (!isSpaceOrEnd(reader.code())) reader.fail("did not find expected whitespace or line break");
  return { handle, prefix };
}
