// Who shares the slots of a ring, which of them are for this member, and which it holds.
import { claimedByOthers, sharingMembers } from "./other-members.ts";
import type { RingLimits, RingState } from "./ring-state.ts";
import { slotsFor } from "./slot-ring.ts";
import { noSlots, type SlotSet, without } from "./slot-set.ts";

/** Finds who shares the slots now, which are for this member, and which it holds. */
export function share(state: RingState, limits: RingLimits): RingState {
  if (!state.hasListed) return state;
  const found = sharingMembers(state, limits);
  const isSame = found.length === state.members.length && found.every(isAt(state.members));
  const members = isSame ? state.members : found;
  const wanted = isSame ? state.wanted : wantedSlots(state, members, limits);
  const isMember = state.phase === "member";
  const free = isMember ? without(state.confirmed, claimedByOthers(state.others)) : noSlots;
  const held = state.held | (free & wanted);
  const owned = isMember ? held & wanted : noSlots;
  return { ...state, members, wanted, held, drained: without(state.drained & held, owned) };
}

const isAt = (names: readonly string[]) => (name: string, at: number) => names[at] === name;

const wantedSlots = (
  { phase }: RingState,
  members: readonly string[],
  { identity, slots }: RingLimits,
): SlotSet => (phase === "leaving" ? noSlots : slotsFor(identity, members, slots));
