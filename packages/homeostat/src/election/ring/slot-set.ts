// Sets of slots. All keys are spread over a fixed number of slots, and replicas share the slots, so
// that what a replica holds is a few bytes in its Lease, whatever the number of objects. Pure.

/** A set of slots: bit `n` is set for slot `n`. */
export type SlotSet = bigint;

export const noSlots: SlotSet = 0n;

/** The slots from 0 to `count` - 1. */
export const allSlots = (count: number): SlotSet => (1n << BigInt(count)) - 1n;

/** A set of these slots, each below `count`. */
export function toSlotSet(slots: Iterable<number>, count: number): SlotSet {
  const digits = new Uint8Array(Math.ceil(count / 4));
  for (const slot of slots) digits[slot >> 2]! |= 1 << (slot & 3);
  let text = "";
  for (const digit of digits) text = digit.toString(16) + text;
  return BigInt(`0x${text}`);
}

/** The slots of a set, in ascending order. */
export function listSlots(set: SlotSet): readonly number[] {
  const slots: number[] = [];
  const text = set.toString(16);
  for (let at = text.length - 1, slot = 0; at >= 0; at--, slot += 4) {
    const digit = parseInt(text[at]!, 16);
    for (let bit = 0; bit < 4; bit++) if (digit & (1 << bit)) slots.push(slot + bit);
  }
  return slots;
}

export const countSlots = (set: SlotSet): number => listSlots(set).length;

/** Slots in `one` that `other` has not. */
export const without = (one: SlotSet, other: SlotSet): SlotSet => one & ~other;

/** One hexadecimal digit for four slots, the last slots first: `00a1`. */
export const formatSlots = (set: SlotSet, count: number): string =>
  set.toString(16).padStart(Math.ceil(count / 4), "0");

/** Undefined for what `formatSlots` does not write for this number of slots. */
export function parseSlots(text: string | undefined, count: number): SlotSet | undefined {
  if (text?.length !== Math.ceil(count / 4) || !/^[0-9a-f]+$/.test(text)) return undefined;
  const set = BigInt(`0x${text}`);
  return without(set, allSlots(count)) === noSlots ? set : undefined;
}
