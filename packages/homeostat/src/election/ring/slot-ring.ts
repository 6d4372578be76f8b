// Which slot a key has, and which member each slot is for: rendezvous hashing. A slot is for the
// member with the highest hash of both, so that every process that knows the same members finds
// the same one, one that joins takes slots from all others and gives none to them, and one that
// leaves gives only its own. Pure, and part of the protocol: members of all versions must agree.
import { type SlotSet, toSlotSet } from "./slot-set.ts";

/** The number of slots of a ring. A multiple of 4. */
export const ringSlots = 1024;

/** The slot of a text, such as a key. */
export const slotOf = (text: string, count: number): number => mixed(hashOf(text)) % count;

/** The slots that are for a member, one of `members`. */
export function slotsFor(member: string, members: readonly string[], count: number): SlotSet {
  const own = hashOf(member);
  const others = members.filter((one) => one !== member).map((one) => [one, hashOf(one)] as const);
  const slots: number[] = [];
  for (let slot = 0; slot < count; slot++) {
    const weight = weigh(own, slot);
    const isFirst = others.every(([name, hash]) => {
      const other = weigh(hash, slot);
      return other < weight || (other === weight && name < member);
    });
    if (isFirst) slots.push(slot);
  }
  return toSlotSet(slots, count);
}

const weigh = (member: number, slot: number): number =>
  mixed(member ^ mixed(Math.imul(slot + 1, 0x9e3779b1)));

/** FNV-1a over UTF-16 code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

/** The last step of MurmurHash3, which spreads each bit over all. */
function mixed(given: number): number {
  let hash = given;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
