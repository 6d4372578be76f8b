// ip and cidr: addresses and prefixes.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/{ip,cidr}.go, pkg/cel/{ip,cidr}.go.
import { canonicalPrice, containsCidrPrice, containsIpPrice } from "./network-prices.ts";
import { fixedPrice, type Price } from "../cost/price.ts";
import { unitEquality } from "../cost/equality-price.ts";
import { argumentPass } from "../cost/prices.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
  overload,
  priced,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { quoteGoText } from "../go/quote.ts";
import { boolType, intType, opaqueType, stringType } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import {
  formatAddress,
  type GoAddress,
  type GoPrefix,
  isMapped,
  maskAddress,
  parseAddress,
  parsePrefix,
  prefixContains,
} from "../go/address.ts";

const ipType = opaqueType("net.IP");
const cidrType = opaqueType("net.CIDR");

class Ip extends CelObject {
  readonly type = ipType;
  readonly address: GoAddress;

  constructor(address: GoAddress) {
    super();
    this.address = address;
  }

  get costSize(): number {
    return this.address.bytes.length;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof Ip)) throw noSuchOverload();
    return Buffer.compare(other.address.bytes, this.address.bytes) === 0;
  }

  toString(): string {
    return formatAddress(this.address);
  }
}

class Cidr extends CelObject {
  readonly type = cidrType;
  readonly prefix: GoPrefix;

  constructor(prefix: GoPrefix) {
    super();
    this.prefix = prefix;
  }

  get costSize(): number {
    return Math.ceil(this.prefix.bits / 8);
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof Cidr)) throw noSuchOverload();
    return (
      other.prefix.bits === this.prefix.bits &&
      Buffer.compare(other.prefix.address.bytes, this.prefix.address.bytes) === 0
    );
  }

  toString(): string {
    return `${formatAddress(this.prefix.address)}/${this.prefix.bits}`;
  }
}

function readIp(text: string): Ip | { readonly error: string } {
  const address = parseAddress(text);
  if ("error" in address)
    return {
      error: `IP Address ${quoteGoText(text)} parse error during conversion from string: ${address.error}`,
    };
  if (address.zone !== "")
    return { error: `IP address ${quoteGoText(text)} with zone value is not allowed` };
  return isMapped(address)
    ? { error: `IPv4-mapped IPv6 address ${quoteGoText(text)} is not allowed` }
    : new Ip(address);
}

function readCidr(text: string): Cidr | { readonly error: string } {
  const head = "network address parse error during conversion from string: ";
  const prefix = parsePrefix(text);
  if ("error" in prefix) return { error: head + head + prefix.error };
  return isMapped(prefix.address)
    ? { error: `${head}IPv4-mapped IPv6 address ${quoteGoText(text)} is not allowed` }
    : new Cidr(prefix);
}

function orThrow<T extends CelObject>(read: T | { readonly error: string }): T {
  if (read instanceof CelObject) return read;
  throw new CelError(read.error);
}

/** Upstream treats an address that does not parse as an argument of the wrong type. */
const containsIp: Implementation = (cidr, other) => {
  const ip = typeof other === "string" ? readIp(other) : other;
  if (!(ip instanceof Ip)) throw noSuchOverload();
  return prefixContains((cidr as Cidr).prefix, ip.address);
};

const containsCidr: Implementation = (cidr, other) => {
  const inner = typeof other === "string" ? orThrow(readCidr(other)) : (other as Cidr);
  const { prefix } = cidr as Cidr;
  return prefix.bits <= inner.prefix.bits && prefixContains(prefix, inner.prefix.address);
};

const masked: Implementation = (cidr) => {
  const { address, bits } = (cidr as Cidr).prefix;
  return new Cidr({ address: maskAddress(address, bits), bits });
};

const isAll = (bytes: Uint8Array, value: number): boolean => bytes.every((byte) => byte === value);
const isV4 = (bytes: Uint8Array): boolean => bytes.length === 4;
const isUnspecified = (bytes: Uint8Array): boolean => isAll(bytes, 0);
const isLoopback = (bytes: Uint8Array): boolean =>
  isV4(bytes) ? bytes[0] === 127 : isAll(bytes.subarray(0, 15), 0) && bytes[15] === 1;
const isMulticast = (bytes: Uint8Array): boolean =>
  isV4(bytes) ? (bytes[0]! & 0xf0) === 0xe0 : bytes[0] === 0xff;
const isLinkLocalMulticast = (bytes: Uint8Array): boolean =>
  isV4(bytes)
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
const isLinkLocalUnicast = (bytes: Uint8Array): boolean =>
  isV4(bytes)
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
const isGlobalUnicast = (bytes: Uint8Array): boolean =>
  !isUnspecified(bytes) &&
  !isLoopback(bytes) &&
  !isMulticast(bytes) &&
  !isLinkLocalUnicast(bytes) &&
  !(isV4(bytes) && isAll(bytes, 255));

const addressTest = (
  name: string,
  id: string,
  test: (bytes: Uint8Array) => boolean,
): FunctionDeclaration => ({
  name,
  overloads: [member(id, [ipType], boolType, (ip) => test((ip as Ip).address.bytes))],
});

/** A function whose argument costs more to take as a string than parsed. */
const containment = (
  name: string,
  price: (argument: "string" | "parsed") => Price,
  { string, parsed }: { readonly string: Overload; readonly parsed: Overload },
): FunctionDeclaration => ({
  name,
  price: price("string"),
  overloads: [priced(price("string"), string), priced(price("parsed"), parsed)],
});

/** Addresses and prefixes. */
export const networkLibrary: Library = {
  name: "kubernetes network addresses",
  functions: [
    pricedFunction(argumentPass, {
      name: "ip",
      overloads: [
        overload("string_to_ip", [stringType], ipType, (text) => orThrow(readIp(text as string))),
        priced(
          fixedPrice(1),
          member("cidr_ip", [cidrType], ipType, (cidr) => new Ip((cidr as Cidr).prefix.address)),
        ),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isIP",
      overloads: [
        overload("is_ip", [stringType], boolType, (text) => readIp(text as string) instanceof Ip),
      ],
    }),
    pricedFunction(canonicalPrice, {
      name: "ip.isCanonical",
      overloads: [
        overload(
          "ip_is_canonical",
          [stringType],
          boolType,
          (text) => orThrow(readIp(text as string)).toString() === text,
        ),
      ],
    }),
    {
      name: "family",
      overloads: [
        member("ip_family", [ipType], intType, (ip) =>
          (ip as Ip).address.bytes.length === 4 ? 4 : 6,
        ),
      ],
    },
    addressTest("isUnspecified", "ip_is_unspecified", isUnspecified),
    addressTest("isLoopback", "ip_is_loopback", isLoopback),
    addressTest("isLinkLocalMulticast", "ip_is_link_local_multicast", isLinkLocalMulticast),
    addressTest("isLinkLocalUnicast", "ip_is_link_local_unicast", isLinkLocalUnicast),
    addressTest("isGlobalUnicast", "ip_is_global_unicast", isGlobalUnicast),
    pricedFunction(argumentPass, {
      name: "cidr",
      overloads: [
        overload("string_to_cidr", [stringType], cidrType, (text) =>
          orThrow(readCidr(text as string)),
        ),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isCIDR",
      overloads: [
        overload(
          "is_cidr",
          [stringType],
          boolType,
          (text) => readCidr(text as string) instanceof Cidr,
        ),
      ],
    }),
    containment("containsIP", containsIpPrice, {
      string: member("cidr_contains_ip_string", [cidrType, stringType], boolType, containsIp),
      parsed: member("cidr_contains_ip_ip", [cidrType, ipType], boolType, containsIp),
    }),
    containment("containsCIDR", containsCidrPrice, {
      string: member("cidr_contains_cidr_string", [cidrType, stringType], boolType, containsCidr),
      parsed: member("cidr_contains_cidr", [cidrType, cidrType], boolType, containsCidr),
    }),
    {
      name: "prefixLength",
      overloads: [
        member("cidr_prefix_length", [cidrType], intType, (cidr) => (cidr as Cidr).prefix.bits),
      ],
    },
    { name: "masked", overloads: [member("cidr_masked", [cidrType], cidrType, masked)] },
    {
      name: "string",
      overloads: [
        overload("ip_to_string", [ipType], stringType, String),
        overload("cidr_to_string", [cidrType], stringType, String),
      ],
    },
  ],
  types: [ipType, cidrType],
  equality: [unitEquality(ipType), unitEquality(cidrType)],
};
