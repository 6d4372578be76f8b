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
  overload,
  priced,
  pricedFunction,
} from "../functions/declarations.ts";
import { isParsed, LibraryType, type Parsed } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { quoteGoText } from "../go/quote.ts";
import { boolType, intType, opaqueType, stringType, type Type } from "../types/type.ts";
import { noSuchOverload } from "../values/cel-error.ts";
import * as netip from "../go/address.ts";

const ips = new LibraryType<netip.GoAddress>({
  type: opaqueType("net.IP"),
  equal: sameBytes,
  print: netip.formatAddress,
  costSize: ({ bytes }) => bytes.length,
});

const cidrs = new LibraryType<netip.GoPrefix>({
  type: opaqueType("net.CIDR"),
  equal: (a, b) => a.bits === b.bits && sameBytes(a.address, b.address),
  print: ({ address, bits }) => `${netip.formatAddress(address)}/${bits}`,
  costSize: ({ bits }) => Math.ceil(bits / 8),
});

function sameBytes(a: netip.GoAddress, b: netip.GoAddress): boolean {
  return Buffer.compare(a.bytes, b.bytes) === 0;
}

function parseIp(text: string): Parsed<netip.GoAddress> {
  const address = netip.parseAddress(text);
  if ("error" in address)
    return {
      error: `IP Address ${quoteGoText(text)} parse error during conversion from string: ${address.error}`,
    };
  if (address.zone !== "")
    return { error: `IP address ${quoteGoText(text)} with zone value is not allowed` };
  return netip.isMapped(address)
    ? { error: `IPv4-mapped IPv6 address ${quoteGoText(text)} is not allowed` }
    : address;
}

function parseCidr(text: string): Parsed<netip.GoPrefix> {
  const head = "network address parse error during conversion from string: ";
  const prefix = netip.parsePrefix(text);
  if ("error" in prefix) return { error: head + head + prefix.error };
  return netip.isMapped(prefix.address)
    ? { error: `${head}IPv4-mapped IPv6 address ${quoteGoText(text)} is not allowed` }
    : prefix;
}

const toIp: Implementation = (text) => ips.wrapParsed(parseIp(text as string));
const toCidr: Implementation = (text) => cidrs.wrapParsed(parseCidr(text as string));

/** Upstream treats an address that does not parse as an argument of the wrong type. */
const containsIp: Implementation = (cidr, other) => {
  const ip = typeof other === "string" ? parseIp(other) : ips.unwrap(other);
  if ("error" in ip) throw noSuchOverload();
  return netip.prefixContains(cidrs.unwrap(cidr), ip);
};

const containsCidr: Implementation = (cidr, other) => {
  const outer = cidrs.unwrap(cidr);
  const inner = cidrs.unwrap(typeof other === "string" ? toCidr(other) : other);
  return outer.bits <= inner.bits && netip.prefixContains(outer, inner.address);
};

const addressTest = (
  name: string,
  id: string,
  test: (address: netip.GoAddress) => boolean,
): FunctionDeclaration => ips.reader(name, id, boolType, test);

/** Whether a prefix contains its argument, which costs more to take as a string than parsed. */
interface Containment {
  readonly name: string;
  /** Ids of the overloads, for a string and for a parsed argument. */
  readonly ids: readonly [string, string];
  readonly parsed: Type;
  readonly price: (argument: "string" | "parsed") => Price;
  readonly test: Implementation;
}

const containment = ({ name, ids, parsed, price, test }: Containment): FunctionDeclaration => ({
  name,
  price: price("string"),
  overloads: [
    priced(price("string"), member(ids[0], [cidrs.type, stringType], boolType, test)),
    priced(price("parsed"), member(ids[1], [cidrs.type, parsed], boolType, test)),
  ],
});

/** Addresses and prefixes. */
export const networkLibrary: Library = {
  name: "kubernetes network addresses",
  functions: [
    pricedFunction(argumentPass, {
      name: "ip",
      overloads: [
        overload("string_to_ip", [stringType], ips.type, toIp),
        priced(
          fixedPrice(1),
          member("cidr_ip", [cidrs.type], ips.type, (cidr) => ips.wrap(cidrs.unwrap(cidr).address)),
        ),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isIP",
      overloads: [
        overload("is_ip", [stringType], boolType, (text) => isParsed(parseIp(text as string))),
      ],
    }),
    pricedFunction(canonicalPrice, {
      name: "ip.isCanonical",
      overloads: [
        overload("ip_is_canonical", [stringType], boolType, (text) => String(toIp(text!)) === text),
      ],
    }),
    ips.reader("family", "ip_family", intType, ({ bytes }) => (bytes.length === 4 ? 4 : 6)),
    addressTest("isUnspecified", "ip_is_unspecified", netip.isUnspecified),
    addressTest("isLoopback", "ip_is_loopback", netip.isLoopback),
    addressTest("isLinkLocalMulticast", "ip_is_link_local_multicast", netip.isLinkLocalMulticast),
    addressTest("isLinkLocalUnicast", "ip_is_link_local_unicast", netip.isLinkLocalUnicast),
    addressTest("isGlobalUnicast", "ip_is_global_unicast", netip.isGlobalUnicast),
    pricedFunction(argumentPass, {
      name: "cidr",
      overloads: [overload("string_to_cidr", [stringType], cidrs.type, toCidr)],
    }),
    pricedFunction(argumentPass, {
      name: "isCIDR",
      overloads: [
        overload("is_cidr", [stringType], boolType, (text) => isParsed(parseCidr(text as string))),
      ],
    }),
    containment({
      name: "containsIP",
      ids: ["cidr_contains_ip_string", "cidr_contains_ip_ip"],
      parsed: ips.type,
      price: containsIpPrice,
      test: containsIp,
    }),
    containment({
      name: "containsCIDR",
      ids: ["cidr_contains_cidr_string", "cidr_contains_cidr"],
      parsed: cidrs.type,
      price: containsCidrPrice,
      test: containsCidr,
    }),
    cidrs.reader("prefixLength", "cidr_prefix_length", intType, ({ bits }) => bits),
    cidrs.reader("masked", "cidr_masked", cidrs.type, ({ address, bits }) =>
      cidrs.wrap({ address: netip.maskAddress(address, bits), bits }),
    ),
    {
      name: "string",
      overloads: [
        overload("ip_to_string", [ips.type], stringType, String),
        overload("cidr_to_string", [cidrs.type], stringType, String),
      ],
    },
  ],
  types: [ips.type, cidrs.type],
  equality: [unitEquality(ips.type), unitEquality(cidrs.type)],
};
