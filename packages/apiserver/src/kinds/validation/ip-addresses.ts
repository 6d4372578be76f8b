// IP addresses and CIDRs in objects: the strict form of new values, the sloppy form of old values,
// and warnings about values that are valid but not canonical.
// Upstream: k8s.io/apimachinery/pkg/util/validation/ip.go (StrictIPCIDRValidation is on in 1.36),
// k8s.io/utils/net.
import {
  formatAddress,
  type GoAddress,
  isMapped,
  maskAddress,
  parseAddress,
  parsePrefix,
  prefixContains,
} from "@homeostat/cel/net";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";

/**
 * A parsed address, leading zeros tolerated; an IPv4 address written as IPv6 is an IPv4 address.
 */
export function parseIpSloppy(text: string): GoAddress | undefined {
  const plain = text.replace(/(^|[.:])0+(?=[0-9a-fA-F])/g, "$1");
  const address = parseAddress(plain);
  if ("error" in address || address.zone !== "") return undefined;
  return isMapped(address) ? { bytes: address.bytes.slice(12), zone: "" } : address;
}

/** A network, and the address as written. */
export interface SloppyCidr {
  readonly address: GoAddress;
  readonly network: GoAddress;
  readonly bits: number;
}

/** A parsed CIDR, leading zeros and bits beyond the prefix tolerated. */
export function parseCidrSloppy(text: string): SloppyCidr | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? undefined : parseIpSloppy(text.slice(0, slash));
  const bitsText = text.slice(slash + 1);
  if (!address || !/^[0-9]+$/.test(bitsText)) return undefined;
  const wide = text.slice(0, slash).includes(":") && address.bytes.length === 4;
  const bits = Number(bitsText) - (wide ? 96 : 0);
  if (bits < 0 || bits > address.bytes.length * 8) return undefined;
  return { address, network: maskAddress(address, bits), bits };
}

const formatCidr = (cidr: { readonly network: GoAddress; readonly bits: number }): string =>
  `${formatAddress(cidr.network)}/${cidr.bits}`;

/** Whether `inner` lies in `outer` and is smaller. */
export function isStrictSubset(inner: SloppyCidr, outer: SloppyCidr): boolean {
  return (
    prefixContains({ address: outer.network, bits: outer.bits }, inner.network) &&
    outer.bits < inner.bits
  );
}

/** "IPv4", "IPv6", or "" for an invalid address. */
export function ipFamilyOf(text: string): "IPv4" | "IPv6" | "" {
  const address = parseIpSloppy(text);
  if (!address) return "";
  return address.bytes.length === 4 ? "IPv4" : "IPv6";
}

const notAddress = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const notCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/** A rule for a legacy field, in which `kept` values of the old object stay valid. */
type LegacyRule = (value: string, path: string, kept?: readonly string[]) => FieldError[];

const unlessKept =
  (rule: (value: string, path: string) => FieldError[]): LegacyRule =>
  (value, path, kept = []) =>
    kept.includes(value) ? [] : rule(value, path);

/** An address of a legacy field. */
export const legacyIpErrors: LegacyRule = unlessKept((value, path) => {
  if (!parseIpSloppy(value)) return [fieldError.invalid(path, value, notAddress)];
  const strict = parseAddress(value);
  if ("error" in strict) return [fieldError.invalid(path, value, "must not have leading 0s")];
  return errorIf(isMapped(strict), () =>
    fieldError.invalid(path, value, "must not be an IPv4-mapped IPv6 address"),
  );
});

/** Rules for a new field: valid and canonical. */
export function ipErrors(value: string, path: string): FieldError[] {
  const errors = legacyIpErrors(value, path);
  if (errors.length) return errors;
  return canonicalErrors(value, formatAddress(parseIpSloppy(value)!), path);
}

const canonicalErrors = (value: string, canonical: string, path: string): FieldError[] =>
  errorIf(value !== canonical, () =>
    fieldError.invalid(path, value, `must be in canonical form (${quoteGo(canonical)})`),
  );

/** A CIDR of a legacy field. */
export const legacyCidrErrors: LegacyRule = unlessKept((value, path) => {
  const sloppy = parseCidrSloppy(value);
  if (!sloppy) return [fieldError.invalid(path, value, notCidr)];
  const strict = parsePrefix(value);
  if ("error" in strict)
    return [fieldError.invalid(path, value, "must not have leading 0s in IP or prefix length")];
  if (isMapped(strict.address))
    return [fieldError.invalid(path, value, "must not have an IPv4-mapped IPv6 address")];
  return errorIf(Buffer.compare(sloppy.address.bytes, sloppy.network.bytes) !== 0, () =>
    fieldError.invalid(path, value, "must not have bits set beyond the prefix length"),
  );
});

/** Rules for a CIDR of a new field: valid and canonical. */
export function cidrErrors(value: string, path: string): FieldError[] {
  const errors = legacyCidrErrors(value, path);
  if (errors.length) return errors;
  return canonicalErrors(value, formatCidr(parseCidrSloppy(value)!), path);
}

/** An address with the length of its network's prefix, as interfaces have it: `10.9.8.7/24`. */
export function interfaceAddressErrors(value: string, path: string): FieldError[] {
  const cidr = parseCidrSloppy(value);
  if (!cidr)
    return [
      fieldError.invalid(
        path,
        value,
        "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)",
      ),
    ];
  const canonical = `${formatAddress(cidr.address)}/${cidr.bits}`;
  return errorIf(value !== canonical, () =>
    fieldError.invalid(path, value, `must be in canonical form (${quoteGo(canonical)})`),
  );
}

/** Warnings for an address of a legacy field. */
export function ipWarnings(value: string, path: string): string[] {
  const sloppy = parseIpSloppy(value);
  if (!sloppy) return [];
  const strict = parseAddress(value);
  if ("error" in strict || isMapped(strict))
    return [
      `${path}: non-standard IP address ${quoteGo(value)} is invalid: use ${quoteGo(formatAddress(sloppy))}`,
    ];
  const canonical = formatAddress(strict);
  return strict.bytes.length === 16 && canonical !== value
    ? [
        `${path}: IPv6 address ${quoteGo(value)} should be in RFC 5952 canonical format (${quoteGo(canonical)})`,
      ]
    : [];
}

/** Warnings for a CIDR of a legacy field. */
export function cidrWarnings(value: string, path: string): string[] {
  const sloppy = parseCidrSloppy(value);
  if (!sloppy) return [];
  const warnings: string[] = [];
  if (Buffer.compare(sloppy.address.bytes, sloppy.network.bytes) !== 0) {
    const single = `${formatAddress(sloppy.address)}/${sloppy.address.bytes.length * 8}`;
    warnings.push(
      `${path}: CIDR value ${quoteGo(value)} is ambiguous in this context (should be ${quoteGo(formatCidr(sloppy))} or ${quoteGo(single)}?)`,
    );
  }
  const strict = parsePrefix(value);
  if ("error" in strict || isMapped(strict.address))
    warnings.push(
      `${path}: non-standard CIDR value ${quoteGo(value)} is invalid: use ${quoteGo(formatCidr(sloppy))}`,
    );
  else if (!warnings.length && strict.address.bytes.length === 16) {
    const canonical = `${formatAddress(strict.address)}/${strict.bits}`;
    if (canonical !== value)
      warnings.push(
        `${path}: IPv6 CIDR value ${quoteGo(value)} should be in RFC 5952 canonical format (${quoteGo(canonical)})`,
      );
  }
  return warnings;
}

/** Addresses that an endpoint cannot have: unspecified, loopback, link-local. */
export function endpointIpErrors(value: string, path: string): FieldError[] {
  const address = parseIpSloppy(value);
  if (!address) return [fieldError.invalid(path, value, "must be a valid IP address")];
  const { bytes } = address;
  const four = bytes.length === 4;
  const errors: FieldError[] = [];
  const isUnspecified = bytes.every((byte) => byte === 0);
  const isLoopback = four
    ? bytes[0] === 127
    : bytes.at(-1) === 1 && bytes.subarray(0, 15).every((byte) => byte === 0);
  const isLinkLocal = four
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80;
  const isMulticast = four
    ? bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0
    : bytes[0] === 0xff && (bytes[1]! & 0x0f) === 2;
  if (isUnspecified)
    errors.push(fieldError.invalid(path, value, `may not be unspecified (${value})`));
  if (isLoopback)
    errors.push(
      fieldError.invalid(path, value, "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
    );
  if (isLinkLocal)
    errors.push(
      fieldError.invalid(
        path,
        value,
        "may not be in the link-local range (169.254.0.0/16, fe80::/10)",
      ),
    );
  if (isMulticast)
    errors.push(
      fieldError.invalid(
        path,
        value,
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
      ),
    );
  return errors;
}
