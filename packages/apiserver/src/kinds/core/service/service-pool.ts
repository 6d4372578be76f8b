// The addresses and node ports that services take: 10.0.0.0/24 and 30000 to 32767. State of one server: what stored services
// hold, and what writes under way have put aside.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/{ipallocator,portallocator}. Upstream picks at random; here the next
// free one is taken, round after round, so that what was just given back is not given out again at once.
import { parseIpSloppy } from "../../object/ip-addresses.ts";

const network = "10.0.0.";
/** The lower part of each range is for those who name what they want. */
const firstDynamicHost = 17;
const lastHost = 254;
const firstPort = 30_000;
const firstDynamicPort = 30_086;
const lastPort = 32_767;

/** Something that could not be had, in upstream's words. */
export class PoolError extends Error {
  override readonly name = "PoolError";
  readonly isFull: boolean;

  constructor(message: string, isFull: boolean) {
    super(message);
    this.isFull = isFull;
  }
}

const full = (): PoolError => new PoolError("range is full", true);

/** What a write has put aside so far. */
export interface Claim {
  /** A free address. Throws {@link PoolError}. */
  nextAddress(): string;
  address(text: string): void;
  nextPort(): number;
  port(number: number): void;
  /** Gives everything back; what a commit has made a service's own stays. */
  release(): void;
}

/** The pools of one server. */
export interface ServicePool {
  claim(): Claim;
  /** Follows stored services: what one has stopped holding is free again. */
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
    for (let candidate = this.#first; candidate < this.#start; candidate++) if (!isTaken(candidate)) return candidate;
    return undefined;
  }
}

/** A pool that nothing has been taken from. */
export function createServicePool(): ServicePool {
  const held = { addresses: new Set<string>(), ports: new Set<number>() };
  const aside = { addresses: new Set<string>(), ports: new Set<number>() };
  const hosts = new Round({ first: 1, start: firstDynamicHost, last: lastHost });
  const ports = new Round({ first: firstPort, start: firstDynamicPort, last: lastPort });
  const addressTaken = (text: string): boolean => held.addresses.has(text) || aside.addresses.has(text);
  const portTaken = (number: number): boolean => held.ports.has(number) || aside.ports.has(number);
  return {
    claim() {
      const mine = { addresses: new Set<string>(), ports: new Set<number>() };
      const putAside = <T>(kind: "addresses" | "ports", value: T): T => {
        (mine[kind] as Set<T>).add(value);
        (aside[kind] as Set<T>).add(value);
        return value;
      };
      return {
        nextAddress() {
          const host = hosts.take((candidate) => addressTaken(`${network}${candidate}`));
          if (host === undefined) throw full();
          return putAside("addresses", `${network}${host}`);
        },
        address(text) {
          if (!isInNetwork(text)) throw new PoolError("the provided network does not match the current range", false);
          if (addressTaken(text)) throw new PoolError("provided IP is already allocated", false);
          putAside("addresses", text);
        },
        nextPort() {
          const port = ports.take(portTaken);
          if (port === undefined) throw full();
          return putAside("ports", port);
        },
        port(number) {
          if (number < firstPort || number > lastPort) throw new PoolError(`provided port is not in the valid range. The range of valid ports is ${firstPort}-${lastPort}`, false);
          if (portTaken(number)) throw new PoolError("provided port is already allocated", false);
          putAside("ports", number);
        },
        release() {
          for (const address of mine.addresses) aside.addresses.delete(address);
          for (const port of mine.ports) aside.ports.delete(port);
        },
      };
    },
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

/** An address of a host, so neither that of the network nor the one that all listen to. */
function isInNetwork(text: string): boolean {
  const bytes = parseIpSloppy(text)?.bytes;
  return bytes?.length === 4 && bytes[0] === 10 && bytes[1] === 0 && bytes[2] === 0 && bytes[3] !== 0 && bytes[3] !== 255;
}
