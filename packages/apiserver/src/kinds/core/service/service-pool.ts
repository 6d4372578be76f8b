// The addresses and node ports of services. State of one server: those that stored services hold,
// and those that unfinished writes have reserved.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/{ipallocator,portallocator}. Upstream picks
// at random; this pool takes the next free one, round after round, so that it does not reuse a
// released one at once.
import { parseIpSloppy } from "../../validation/ip-addresses.ts";
import { formatHost, readServiceRanges, type ServiceRanges } from "./service-ranges.ts";

/** A failed allocation, with upstream's message. */
export class PoolError extends Error {
  override readonly name = "PoolError";
  readonly isFull: boolean;

  constructor(message: string, why: "full" | "refused") {
    super(message);
    this.isFull = why === "full";
  }
}

/** The reservations of one write. */
export interface Claim {
  /** Reserves a free address. Throws {@link PoolError}, as the others do. */
  nextAddress(): string;
  address(text: string): void;
  nextPort(): number;
  port(number: number): void;
  /** Ends the reservations; a committed service holds its own. */
  release(): void;
}

/** The pools of one server. */
export interface ServicePool {
  claim(): Claim;
  /** The claim of a dry run: returns upstream's placeholders and checks less. */
  dryClaim(): Claim;
  /** Records what a stored service holds. */
  hold(held: Holdings): void;
  free(held: Holdings): void;
}

export interface Holdings {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

/** A round through a range: numbers from `start`, then those below it. */
class Round {
  readonly #first: number;
  readonly #start: number;
  readonly #last: number;
  #next: number;

  constructor(range: { readonly first: number; readonly start: number; readonly last: number }) {
    this.#first = range.first;
    this.#start = range.start;
    this.#last = range.last;
    this.#next = range.start;
  }

  take(isTaken: (candidate: number) => boolean): number | undefined {
    for (let i = 0; i <= this.#last - this.#start; i++) {
      const candidate = this.#next;
      this.#next = candidate === this.#last ? this.#start : candidate + 1;
      if (!isTaken(candidate)) return candidate;
    }
    for (let candidate = this.#first; candidate < this.#start; candidate++)
      if (!isTaken(candidate)) return candidate;
    return undefined;
  }
}

/** Addresses and ports that stored services hold or unfinished writes have reserved. */
class Taken {
  readonly held = { addresses: new Set<string>(), ports: new Set<number>() };
  readonly reserved = { addresses: new Set<string>(), ports: new Set<number>() };
  readonly #hosts: Round;
  readonly #ports: Round;

  constructor({ addresses, ports }: ServiceRanges) {
    this.#hosts = new Round({
      first: addresses.firstHost,
      start: addresses.firstDynamicHost,
      last: addresses.lastHost,
    });
    this.#ports = new Round({ first: ports.first, start: ports.firstDynamic, last: ports.last });
  }

  hasAddress(text: string): boolean {
    return this.held.addresses.has(text) || this.reserved.addresses.has(text);
  }

  hasPort(number: number): boolean {
    return this.held.ports.has(number) || this.reserved.ports.has(number);
  }

  nextAddress(): string {
    const host = this.#hosts.take((candidate) => this.hasAddress(formatHost(candidate)));
    if (host === undefined) throw new PoolError("range is full", "full");
    return formatHost(host);
  }

  nextPort(): number {
    const port = this.#ports.take((candidate) => this.hasPort(candidate));
    if (port === undefined) throw new PoolError("range is full", "full");
    return port;
  }
}

const portTaken = "provided port is already allocated";

function openClaim(taken: Taken, { addresses, ports }: ServiceRanges): Claim {
  const own: { readonly addresses: string[]; readonly ports: number[] } = {
    addresses: [],
    ports: [],
  };
  const putAddress = (text: string): string => {
    own.addresses.push(text);
    taken.reserved.addresses.add(text);
    return text;
  };
  const putPort = (number: number): number => {
    own.ports.push(number);
    taken.reserved.ports.add(number);
    return number;
  };
  return {
    nextAddress: () => putAddress(taken.nextAddress()),
    nextPort: () => putPort(taken.nextPort()),
    address(text) {
      if (!isInRange(text, addresses))
        throw new PoolError("the provided network does not match the current range", "refused");
      if (taken.hasAddress(text))
        throw new PoolError("provided IP is already allocated", "refused");
      putAddress(text);
    },
    port(number) {
      if (number < ports.first || number > ports.last)
        throw new PoolError(
          `provided port is not in the valid range. The range of valid ports is ${ports.first}-${ports.last}`,
          "refused",
        );
      if (taken.hasPort(number)) throw new PoolError(portTaken, "refused");
      putPort(number);
    },
    release() {
      for (const address of own.addresses) taken.reserved.addresses.delete(address);
      for (const port of own.ports) taken.reserved.ports.delete(port);
    },
  };
}

/** The port before the first placeholder, which is outside the default range. */
const beforePlaceholders = 32_768;

function openDryClaim(taken: Taken, { addresses }: ServiceRanges): Claim {
  const ports: number[] = [];
  return {
    nextAddress: () => addresses.range.split("/")[0]!,
    address(text) {
      if (!isInRange(text, addresses))
        throw new PoolError(
          `the provided IP (${text}) is not in the valid range. The range of valid IPs is ${addresses.range}`,
          "refused",
        );
    },
    nextPort() {
      const port = Math.max(...(ports.length ? ports : [beforePlaceholders])) + 1;
      ports.push(port);
      return port;
    },
    port(number) {
      if (taken.hasPort(number) || ports.includes(number))
        throw new PoolError(portTaken, "refused");
      ports.push(number);
    },
    release() {},
  };
}

/** Creates an empty pool. */
export function createServicePool(ranges: ServiceRanges = readServiceRanges({})): ServicePool {
  const taken = new Taken(ranges);
  const { held } = taken;
  return {
    claim: () => openClaim(taken, ranges),
    dryClaim: () => openDryClaim(taken, ranges),
    hold(what) {
      for (const address of what.addresses) held.addresses.add(address);
      for (const port of what.ports) held.ports.add(port);
    },
    free(what) {
      for (const address of what.addresses) held.addresses.delete(address);
      for (const port of what.ports) held.ports.delete(port);
    },
  };
}

/** Whether the address is one of a host, neither network nor broadcast address. */
function isInRange(text: string, { firstHost, lastHost }: ServiceRanges["addresses"]): boolean {
  const bytes = parseIpSloppy(text)?.bytes;
  if (bytes?.length !== 4) return false;
  const host = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
  return host >= firstHost && host <= lastHost;
}
