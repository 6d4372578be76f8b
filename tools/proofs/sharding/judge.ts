// The judge: what the server did, in its own order. Every write of an object must fall into a time
// in which the Lease of its writer claims the object's slot, and between the writes of two replicas
// the first one must have withdrawn its claim, or its Lease must be gone. Slots are computed here
// anew, from docs/decisions/sharding.md.
import type { Lease } from "homeostat/k8s/coordination/v1";

/** A write of an object. */
export interface Written {
  readonly at: bigint;
  readonly name: string;
  readonly by: string;
}

interface LeaseState {
  readonly at: bigint;
  /** Undefined when the Lease is gone. */
  readonly slots: bigint | undefined;
}

/** The history of all Leases and objects. */
export class Judge {
  readonly writes: Written[] = [];
  readonly #leases = new Map<string, LeaseState[]>();
  readonly #known = new Set<string>();

  sawLease({ metadata, spec }: Lease, isDeleted: boolean): void {
    const { uid, resourceVersion, annotations } = metadata;
    if (this.#known.has(`${uid} ${resourceVersion}`)) return;
    this.#known.add(`${uid} ${resourceVersion}`);
    const by = spec.holderIdentity!;
    const claims = BigInt(`0x${annotations?.["homeostat.dev/slots"] ?? "0"}`);
    const states = this.#leases.get(by) ?? [];
    states.push({ at: BigInt(resourceVersion), slots: isDeleted ? undefined : claims });
    this.#leases.set(by, states);
  }

  sawWrite(write: Written): void {
    this.writes.push(write);
  }

  /** The faults of the whole history. */
  faults(namespace: string): readonly string[] {
    for (const states of this.#leases.values()) states.sort((a, b) => compare(a.at, b.at));
    const byName = Map.groupBy(this.writes, ({ name }) => name);
    return [...byName].flatMap(([name, writes]) => {
      writes.sort((a, b) => compare(a.at, b.at));
      const slot = slotOf(`${namespace}/${name}`);
      return writes.flatMap((write, i) => this.#judge(write, writes[i - 1], slot));
    });
  }

  #judge({ at, name, by }: Written, before: Written | undefined, slot: bigint): string[] {
    const faults: string[] = [];
    if (!this.#claims(by, at, slot)) faults.push(`${name}@${at} by ${by}, which had no claim`);
    if (before && before.by !== by && !this.#withdrew(before.by, { from: before.at, to: at, slot }))
      faults.push(`${name}@${at} by ${by}, while ${before.by} had it since ${before.at}`);
    return faults;
  }

  #claims(by: string, at: bigint, slot: bigint): boolean {
    const state = this.#leases.get(by)?.findLast((one) => one.at < at);
    return state?.slots !== undefined && has(state.slots, slot);
  }

  #withdrew(by: string, { from, to, slot }: { from: bigint; to: bigint; slot: bigint }): boolean {
    const states = this.#leases.get(by) ?? [];
    return states.some(
      (one) => one.at > from && one.at < to && (one.slots === undefined || !has(one.slots, slot)),
    );
  }
}

const has = (slots: bigint, slot: bigint): boolean => ((slots >> slot) & 1n) === 1n;
const compare = (a: bigint, b: bigint): number => Number(a - b);

function slotOf(text: string): bigint {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return BigInt(((hash ^ (hash >>> 16)) >>> 0) % 1024);
}
