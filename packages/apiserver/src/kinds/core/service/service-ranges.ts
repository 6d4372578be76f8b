// The ranges of service addresses (IPv4) and node ports. Allocation leaves the lower part of each
// to clients that request a certain address or port.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/ipallocator/{ipallocator,bitmap}.go,
// portallocator/allocator.go.
import { parseCidrSloppy } from "../../validation/ip-addresses.ts";

/** Addresses as numbers, without network and broadcast address. */
export interface AddressRange {
  /** As ServiceCIDRs have it: `10.0.0.0/24`. */
  readonly range: string;
  /** The first address, that of the service `kubernetes`. */
  readonly first: string;
  readonly firstHost: number;
  readonly firstDynamicHost: number;
  readonly lastHost: number;
}

export interface PortRange {
  readonly first: number;
  readonly firstDynamic: number;
  readonly last: number;
}

export interface ServiceRanges {
  readonly addresses: AddressRange;
  readonly ports: PortRange;
}

/**
 * Parses ranges such as `10.96.0.0/16` and `30000-32767`. Throws an Error with a message for the
 * user.
 */
export function readServiceRanges({
  addresses = "10.0.0.0/24",
  ports = "30000-32767",
}: {
  readonly addresses?: string;
  readonly ports?: string;
}): ServiceRanges {
  return { addresses: readAddresses(addresses), ports: readPorts(ports) };
}

function readAddresses(text: string): AddressRange {
  const cidr = parseCidrSloppy(text);
  if (!cidr)
    throw new Error(
      `expected a range of addresses such as 10.96.0.0/16, got ${JSON.stringify(text)}`,
    );
  const { bytes } = cidr.address;
  if (bytes.length !== 4)
    throw new Error(
      `expected a range of IPv4 addresses such as 10.96.0.0/16, the only ones of this server's services, got ${JSON.stringify(text)}`,
    );
  const size = 2 ** (32 - cidr.bits);
  if (size < 8)
    throw new Error(`expected a range of 8 addresses or more, got ${JSON.stringify(text)}`);
  const base = Math.floor(bytes.reduce((sum, byte) => sum * 256 + byte, 0) / size) * size;
  const firstHost = base + 1;
  return {
    range: `${formatHost(base)}/${cidr.bits}`,
    first: formatHost(firstHost),
    firstHost,
    firstDynamicHost: firstHost + staticPart(size, { min: 16, max: 256, step: 16 }),
    lastHost: base + size - 2,
  };
}

function readPorts(text: string): PortRange {
  const [, from, joint, to] = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const first = Number(from);
  const last = lastOf(first, joint, to);
  if (from === undefined || last < first || last > 65_535)
    throw new Error(`expected a range of ports such as 30000-32767, got ${JSON.stringify(text)}`);
  return {
    first,
    firstDynamic: first + staticPart(last - first + 1, { min: 16, max: 128, step: 32 }),
    last,
  };
}

function lastOf(first: number, joint: string | undefined, to: string | undefined): number {
  if (to === undefined) return first;
  return joint === "+" ? first + Number(to) : Number(to);
}

function staticPart(
  size: number,
  { min, max, step }: { readonly min: number; readonly max: number; readonly step: number },
): number {
  return size <= min ? 0 : Math.min(Math.max(Math.floor(size / step), min), max);
}

/** A number as an address. */
export const formatHost = (host: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(host / 2 ** shift) % 256).join(".");
