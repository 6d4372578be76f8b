// IP addresses and prefixes as Go parses and prints them, with Go's errors.
// Upstream: Go 1.26 net/netip/netip.go (ParseAddr, ParsePrefix, Addr.String, Prefix.Masked,
// Prefix.Contains).
import { quoteGoText } from "./quote.ts";

/** 4 or 16 bytes, and the zone of an IPv6 address. */
export interface GoAddress {
  readonly bytes: Uint8Array;
  readonly zone: string;
}

/** An address with the length of its network part. */
export interface GoPrefix {
  readonly address: GoAddress;
  readonly bits: number;
}

class AddressFault {
  readonly message: string;

  constructor(message: string, at?: string) {
    this.message = at === undefined ? message : `${message} (at ${quoteGoText(at)})`;
  }
}

/** An address, or Go's error. */
export function parseAddress(text: string): GoAddress | { readonly error: string } {
  try {
    return parse(text);
  } catch (fault) {
    if (fault instanceof AddressFault)
      return { error: `ParseAddr(${quoteGoText(text)}): ${fault.message}` };
    throw fault;
  }
}

function parse(text: string): GoAddress {
  switch (/[.:%]/.exec(text)?.[0]) {
    case ".":
      return { bytes: Uint8Array.from(parseV4(text)), zone: "" };
    case ":":
      return parseV6(text);
    case "%":
      throw new AddressFault("missing IPv6 address");
    default:
      throw new AddressFault("unable to parse IP");
  }
}

function parseV4(text: string): number[] {
  const fields: number[] = [];
  let value = 0;
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c >= "0" && c <= "9") {
      if (digits === 1 && value === 0)
        throw new AddressFault("IPv4 field has octet with leading zero");
      value = value * 10 + Number(c);
      digits++;
      if (value > 255) throw new AddressFault("IPv4 field has value >255");
    } else if (c === ".") {
      if (i === 0 || i === text.length - 1 || text[i - 1] === ".")
        throw new AddressFault("IPv4 field must have at least one digit", text.slice(i));
      if (fields.length === 3) throw new AddressFault("IPv4 address too long");
      fields.push(value);
      value = digits = 0;
    } else throw new AddressFault("unexpected character", text.slice(i));
  }
  if (fields.length < 3) throw new AddressFault("IPv4 address too short");
  return [...fields, value];
}

function parseV6(text: string): GoAddress {
  const percent = text.indexOf("%");
  const zone = percent < 0 ? "" : text.slice(percent + 1);
  if (percent >= 0 && zone === "") throw new AddressFault("zone must be a non-empty string");
  let rest = percent < 0 ? text : text.slice(0, percent);
  let ellipsis = -1;
  if (rest.startsWith("::")) {
    ellipsis = 0;
    rest = rest.slice(2);
    if (rest === "") return { bytes: new Uint8Array(16), zone };
  }
  const bytes: number[] = [];
  while (bytes.length < 16) {
    const group = readGroup(rest);
    if (rest[group.length] === ".") {
      bytes.push(...embeddedV4(rest, bytes.length, ellipsis));
      rest = "";
      break;
    }
    const value = Number.parseInt(group, 16);
    bytes.push(value >> 8, value & 255);
    rest = rest.slice(group.length);
    if (rest === "") break;
    if (!rest.startsWith(":")) throw new AddressFault("unexpected character, want colon", rest);
    if (rest.length === 1)
      throw new AddressFault("colon must be followed by more characters", rest);
    rest = rest.slice(1);
    if (rest.startsWith(":")) {
      if (ellipsis >= 0) throw new AddressFault("multiple :: in address", rest);
      ellipsis = bytes.length;
      rest = rest.slice(1);
      if (rest === "") break;
    }
  }
  if (rest !== "") throw new AddressFault("trailing garbage after address", rest);
  return { bytes: expand(bytes, ellipsis), zone };
}

function readGroup(rest: string): string {
  const group = /^[0-9a-fA-F]*/.exec(rest)![0];
  if (group.length > 4) throw new AddressFault("each group must have 4 or less digits", rest);
  if (group === "")
    throw new AddressFault("each colon-separated field must have at least one digit", rest);
  return group;
}

function embeddedV4(rest: string, at: number, ellipsis: number): number[] {
  if (ellipsis < 0 && at !== 12)
    throw new AddressFault(
      "embedded IPv4 address must replace the final 2 fields of the address",
      rest,
    );
  if (at + 4 > 16)
    throw new AddressFault(
      "too many hex fields to fit an embedded IPv4 at the end of the address",
      rest,
    );
  return parseV4(rest);
}

function expand(bytes: readonly number[], ellipsis: number): Uint8Array {
  if (bytes.length === 16) {
    if (ellipsis >= 0) throw new AddressFault("the :: must expand to at least one field of zeros");
    return Uint8Array.from(bytes);
  }
  if (ellipsis < 0) throw new AddressFault("address string too short");
  return Uint8Array.from([
    ...bytes.slice(0, ellipsis),
    ...new Array<number>(16 - bytes.length).fill(0),
    ...bytes.slice(ellipsis),
  ]);
}

/** A prefix, or Go's error. */
export function parsePrefix(text: string): GoPrefix | { readonly error: string } {
  const fail = (message: string): { readonly error: string } => ({
    error: `netip.ParsePrefix(${quoteGoText(text)}): ${message}`,
  });
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const address = parseAddress(text.slice(0, slash));
  if ("error" in address) return fail(address.error);
  if (address.zone !== "") return fail("IPv6 zones cannot be present in a prefix");
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return fail(`bad bits after slash: ${quoteGoText(bits)}`);
  if (Number(bits) > address.bytes.length * 8) return fail("prefix length out of range");
  return { address, bits: Number(bits) };
}

/** An IPv4 address written as IPv6. */
export const isMapped = ({ bytes }: GoAddress): boolean =>
  bytes.length === 16 &&
  bytes.subarray(0, 10).every((byte) => byte === 0) &&
  bytes[10] === 255 &&
  bytes[11] === 255;

/** The address with everything beyond `bits` set to zero. */
export function maskAddress({ bytes, zone }: GoAddress, bits: number): GoAddress {
  return {
    zone,
    bytes: bytes.map((byte, i) => byte & (0xff << Math.min(8, Math.max(0, 8 - (bits - i * 8))))),
  };
}

/** Whether an address lies in a prefix. */
export function prefixContains({ address, bits }: GoPrefix, other: GoAddress): boolean {
  return (
    other.bytes.length === address.bytes.length &&
    Buffer.compare(maskAddress(address, bits).bytes, maskAddress(other, bits).bytes) === 0
  );
}

/** Canonical text: the longest run of zero groups is `::`. */
export function formatAddress({ bytes }: GoAddress): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = Array.from({ length: 8 }, (_, i) =>
    ((bytes[2 * i]! << 8) | bytes[2 * i + 1]!).toString(16),
  );
  let best = { start: -1, length: 1 };
  for (let i = 0; i < 8; i++) {
    let length = 0;
    while (groups[i + length] === "0") length++;
    if (length > best.length) best = { start: i, length };
  }
  if (best.start < 0) return groups.join(":");
  return `${groups.slice(0, best.start).join(":")}::${groups.slice(best.start + best.length).join(":")}`;
}

const isAll = (bytes: Uint8Array, value: number): boolean => bytes.every((byte) => byte === value);
const isV4 = (bytes: Uint8Array): boolean => bytes.length === 4;
export const isUnspecified = ({ bytes }: GoAddress): boolean => isAll(bytes, 0);
export const isLoopback = ({ bytes }: GoAddress): boolean =>
  isV4(bytes) ? bytes[0] === 127 : isAll(bytes.subarray(0, 15), 0) && bytes[15] === 1;
const isMulticast = ({ bytes }: GoAddress): boolean =>
  isV4(bytes) ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
export const isLinkLocalMulticast = ({ bytes }: GoAddress): boolean =>
  isV4(bytes)
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
export const isLinkLocalUnicast = ({ bytes }: GoAddress): boolean =>
  isV4(bytes)
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
export const isGlobalUnicast = (address: GoAddress): boolean =>
  !isUnspecified(address) &&
  !isLoopback(address) &&
  !isMulticast(address) &&
  !isLinkLocalUnicast(address) &&
  !(isV4(address.bytes) && isAll(address.bytes, 255));
