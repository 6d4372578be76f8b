// Which slots this process reconciles at this moment, and how many reconciles run in each. A slot
// that is lost is drained when the last of them has ended: until then no other replica gets it.
import { listSlots, noSlots, type SlotSet, toSlotSet } from "./slot-set.ts";

/** Whom a gate tells of its changes. */
export interface GateFollower {
  /** Reconciles in these slots may begin. */
  gained(isGained: (slot: number) => boolean): void;
  /** They may not begin any more. */
  lost(isLost: (slot: number) => boolean): void;
}

/** The gate of one membership. */
export class ShardGate {
  /** The number of slots of the ring. */
  readonly slots: number;
  readonly #drained: (slots: SlotSet) => void;
  readonly #followers = new Set<GateFollower>();
  readonly #isOpen: Uint8Array;
  readonly #running: Uint32Array;

  /** `drained` receives lost slots in which no reconcile runs. */
  constructor(slots: number, drained: (slots: SlotSet) => void) {
    this.slots = slots;
    this.#drained = drained;
    this.#isOpen = new Uint8Array(slots);
    this.#running = new Uint32Array(slots);
  }

  follow(follower: GateFollower): { remove(): void } {
    this.#followers.add(follower);
    return { remove: () => void this.#followers.delete(follower) };
  }

  isOpen(slot: number): boolean {
    return this.#isOpen[slot] === 1;
  }

  /** Begins a reconcile, for which `end` is to be called; false when it may not. */
  begin(slot: number): boolean {
    if (!this.isOpen(slot)) return false;
    this.#running[slot]!++;
    return true;
  }

  end(slot: number): void {
    const left = --this.#running[slot]!;
    if (left === 0 && !this.isOpen(slot)) this.#drained(toSlotSet([slot], this.slots));
  }

  gain(gained: SlotSet): void {
    const flags = this.#flag(gained, 1);
    for (const follower of this.#followers) follower.gained((slot) => flags[slot] === 1);
  }

  lose(lost: SlotSet): void {
    const flags = this.#flag(lost, 0);
    for (const follower of this.#followers) follower.lost((slot) => flags[slot] === 1);
    const idle = listSlots(lost).filter((slot) => this.#running[slot] === 0);
    if (idle.length > 0) this.#drained(toSlotSet(idle, this.slots));
  }

  /** Loses all. */
  close(): void {
    this.lose(
      toSlotSet(
        [...this.#isOpen.keys()].filter((slot) => this.isOpen(slot)),
        this.slots,
      ),
    );
  }

  /** The slots in which reconciles run that were lost. */
  draining(): SlotSet {
    let draining = noSlots;
    for (let slot = 0; slot < this.slots; slot++)
      if (!this.isOpen(slot) && this.#running[slot]! > 0) draining |= 1n << BigInt(slot);
    return draining;
  }

  #flag(slots: SlotSet, isOpen: 0 | 1): Uint8Array {
    const flags = new Uint8Array(this.slots);
    for (const slot of listSlots(slots)) {
      flags[slot] = 1;
      this.#isOpen[slot] = isOpen;
    }
    return flags;
  }
}
