// How the replicas of an operator share its objects, as one of them sees it. Pure: the driver sends
// what a step asks for and calls again at `ringDue`.
//
// Each member has a Lease of its own that names the slots it claims. A claim is a flag, as in
// Dekker's algorithm: a member holds a slot only after its claim was at the server, it has then
// listed all members, and every other one has been without this claim since. Of two that claim the
// same slot, the list of the later one shows the claim of the earlier one, so that never both hold
// it, whatever each of them believes of the ring. The ring decides only who withdraws; one that
// holds a slot does so when nothing is reconciled in the slot any more.
// A member that is silent for as long as its Lease lasts has stopped writing before, by its own
// clock. Its Lease is deleted, on condition that it is as it was seen, before its claims count no
// longer: a renewal on its way comes before the deletion, which then fails, or after it, and fails
// itself.
// docs/decisions/sharding.md has the argument in full.
import { isOverdue, type Now } from "../election.machine.ts";
import { jitterFactor } from "../election-timings.ts";
import {
  expired,
  expiry,
  isNewer,
  withDeleted,
  withListed,
  withoutExpired,
  withRemoved,
  withSeen,
} from "./other-members.ts";
import {
  type MemberRecord,
  ownedSlots,
  type OwnLease,
  type RingEffect,
  type RingInput,
  type RingLimits,
  type RingState,
  type RingStep,
} from "./ring-state.ts";
import { share } from "./share-slots.ts";
import { noSlots, type SlotSet, without } from "./slot-set.ts";

/** Takes one step. After the end nothing changes any more. */
export function stepRing(
  before: RingState,
  input: RingInput,
  now: Now,
  limits: RingLimits,
): RingStep {
  if (before.phase === "ended") return { state: before, effects: none };
  const taken = take(before, input, now, limits);
  if (taken.state.phase === "ended") return taken;
  if (isWorking(taken.state) && isOverdue(taken.state.renewed!, now, limits))
    return lose(taken.state, whyOverdue(taken.state, limits), taken.effects);
  const state = share(withoutExpired(taken.state, now.at, limits), limits);
  const moved = gates(before, state);
  const wrote = writeOwn(moved.state, now, limits);
  const asked = ask(wrote.state, now, limits);
  const effects = [...taken.effects, ...moved.effects, ...wrote.effects, ...asked.effects];
  return { state: asked.state, effects };
}

/** The monotonic time of the next step without news; Infinity for none. */
export function ringDue(state: RingState, limits: RingLimits): number {
  if (state.phase === "ended") return Infinity;
  const times = [isWorking(state) ? state.renewed!.at + limits.renewDeadlineMs : Infinity];
  if (!state.writing) times.push(Math.max(writeDue(state, limits), state.writeNotBefore));
  if (!state.asking) times.push(Math.max(askDue(state, limits), state.askNotBefore));
  for (const other of state.others.values()) if (other.isDeleted) times.push(expiry(other, limits));
  return Math.min(...times);
}

const none: readonly RingEffect[] = [];

/** True for one that may hold slots, as long as it renews its Lease. */
const isWorking = ({ phase }: RingState): boolean => phase === "member" || phase === "leaving";

function take(state: RingState, input: RingInput, now: Now, limits: RingLimits): RingStep {
  switch (input.type) {
    case "tick":
      return { state, effects: none };
    case "leave":
      return onLeave(state, now);
    case "watching":
      // A watch that cannot be opened says so again and again: that must not put off the poll.
      if (!input.is && !state.isWatched) return { state, effects: none };
      return only(heard({ ...state, isWatched: input.is }, now, limits));
    case "listed":
      return onListed(state, input, now, limits);
    case "saw":
    case "deleted":
      return onWatched(state, input, now, limits);
    case "wrote":
      return onWrote(state, input.own, now, limits);
    case "writeFailed":
      return onWriteFailed(state, input, now, limits);
    case "removed":
    case "askFailed":
      return onAnswered(state, input, now, limits);
    case "drained":
      return only({
        ...state,
        drained: state.drained | without(input.slots, ownedSlots(state)),
      });
  }
}

/** One whose Lease does not exist has nothing to give up. */
function onLeave(state: RingState, { at, wall }: Now): RingStep {
  if (!state.own && !state.writing) return end(state);
  const renewed = state.renewed ?? { at, wall };
  return only({ ...state, phase: "leaving", wanted: noSlots, renewed });
}

function onListed(
  before: RingState,
  { records, resourceVersion }: Extract<RingInput, { type: "listed" }>,
  now: Now,
  limits: RingLimits,
): RingStep {
  const confirms = before.asking?.what === "list" ? before.asking.confirms : noSlots;
  const others = records.filter(({ name }) => name !== limits.name);
  const listed = withListed(before, others, { at: now.at, resourceVersion });
  const own = records.find(({ name }) => name === limits.name);
  const state = heard(
    {
      ...before,
      ...listed,
      asking: undefined,
      hasListed: true,
      mustList: false,
      confirmed: before.confirmed | (confirms & before.claimed),
    },
    now,
    limits,
  );
  return own ? sawOwn(state, own) : missedOwn(state, resourceVersion);
}

/** The own Lease as it is at the server, or as it was before. */
function sawOwn(state: RingState, { uid, resourceVersion, claims }: MemberRecord): RingStep {
  const { own } = state;
  if (own && !isNewer(resourceVersion, own.resourceVersion)) return only(state);
  if (own && own.uid !== uid) return lose(state, wasDeleted);
  // No write of this member leaves out what it holds.
  if (without(state.held, claims) !== noSlots)
    return lose(state, "another client has changed its Lease");
  return only({ ...state, own: { uid, resourceVersion } });
}

function missedOwn(state: RingState, listedVersion: string): RingStep {
  const { own, writing } = state;
  const isMissing = own && !writing && !isNewer(own.resourceVersion, listedVersion);
  return isMissing ? lose(state, wasDeleted) : only(state);
}

const wasDeleted = "its Lease was deleted";

function onWatched(
  before: RingState,
  { type, record }: Extract<RingInput, { type: "saw" | "deleted" }>,
  now: Now,
  limits: RingLimits,
): RingStep {
  const state = heard(before, now, limits);
  if (record.name !== limits.name) {
    const change = type === "saw" ? withSeen : withDeleted;
    return only({ ...state, ...change(state, record, now.at) });
  }
  if (type === "saw") return sawOwn(state, record);
  const isOurs = record.uid === state.own?.uid && state.writing?.what !== "delete";
  return isOurs ? lose(state, wasDeleted) : only(state);
}

/** The server's answer to a write of the own Lease. */
function onWrote(before: RingState, own: OwnLease, now: Now, limits: RingLimits): RingStep {
  const { writing } = before;
  if (writing?.what === "delete") return end(before);
  const renewed = writing?.since ?? now;
  const state: RingState = {
    ...heard(before, now, limits),
    writing: undefined,
    own: newest(before.own, own),
    claimed: writing?.claims ?? noSlots,
    hasSaidLeaving: writing?.isLeaving ?? false,
    renewed,
    writeNotBefore: -Infinity,
    lastError: undefined,
  };
  // An answer that was read too late gives no right.
  if (before.phase !== "joining" || isOverdue(renewed, now, limits)) return only(state);
  return { state: { ...state, phase: "member" }, effects: [{ do: "joined" }] };
}

function onWriteFailed(
  before: RingState,
  { fault, error }: Extract<RingInput, { type: "writeFailed" }>,
  now: Now,
  limits: RingLimits,
): RingStep {
  const { writing, own } = before;
  if (writing?.what === "delete") return end(before);
  const state = { ...before, writing: undefined, lastError: error };
  if (fault === "gone" && own) return lose(state, wasDeleted);
  if (!own && before.phase === "leaving") return end(state);
  if (fault === "changed")
    return only({ ...state, mustList: true, writeNotBefore: now.at + soonMs });
  const sinceMs = now.at - (writing?.since.at ?? now.at);
  const waitMs = Math.max(0, limits.retryPeriodMs - sinceMs);
  return only({ ...state, writeNotBefore: now.at + waitMs });
}

function onAnswered(
  before: RingState,
  input: Extract<RingInput, { type: "removed" | "askFailed" }>,
  now: Now,
  limits: RingLimits,
): RingStep {
  const { asking } = before;
  const state = { ...before, asking: undefined };
  if (input.type === "removed" && asking?.what === "remove")
    return only({ ...state, ...withRemoved(state, asking.uid) });
  if (input.type === "removed" || input.fault !== "failed")
    return only({ ...state, mustList: true });
  const waitMs = limits.retryPeriodMs * (1 + jitterFactor * now.chance);
  return only({ ...state, lastError: input.error, askNotBefore: now.at + waitMs });
}

function gates(before: RingState, state: RingState): RingStep {
  const had = ownedSlots(before);
  const has = ownedSlots(state);
  const lost = without(had, has);
  const gained = without(has, had);
  const effects: RingEffect[] = [];
  if (lost !== noSlots) effects.push({ do: "lose", slots: lost });
  if (gained !== noSlots) effects.push({ do: "gain", slots: gained });
  return { state, effects };
}

/** The slots that the own Lease has to name: those wanted, and those not given up yet. */
const claimsOf = ({ wanted, held, drained }: RingState): SlotSet => wanted | without(held, drained);

function writeDue(state: RingState, { retryPeriodMs }: RingLimits): number {
  if (!state.hasListed) return Infinity;
  if (!state.own) return state.phase === "joining" ? -Infinity : Infinity;
  const isLeaving = state.phase === "leaving";
  if (isLeaving !== state.hasSaidLeaving || claimsOf(state) !== state.claimed) return -Infinity;
  if (isLeaving && state.claimed === noSlots) return -Infinity;
  return state.renewed ? state.renewed.at + retryPeriodMs : -Infinity;
}

/** Creates, renews, changes or deletes the own Lease. */
function writeOwn(state: RingState, now: Now, limits: RingLimits): RingStep {
  if (state.writing || now.at < Math.max(writeDue(state, limits), state.writeNotBefore))
    return only(state);
  const { own: over } = state;
  const isLeaving = state.phase === "leaving";
  const since = { at: now.at, wall: now.wall };
  if (
    isLeaving &&
    state.hasSaidLeaving &&
    state.claimed === noSlots &&
    claimsOf(state) === noSlots
  ) {
    const writing = { what: "delete", since, claims: noSlots, isLeaving } as const;
    return { state: { ...state, writing }, effects: [{ do: "delete", over: over! }] };
  }
  const named = claimsOf(state);
  const { asking } = state;
  // From here on others may see that the claims left out are withdrawn.
  const next: RingState = {
    ...state,
    claimed: state.claimed & named,
    confirmed: state.confirmed & named,
    held: state.held & named,
    drained: state.drained & named,
    asking: asking?.what === "list" ? { ...asking, confirms: asking.confirms & named } : asking,
    writing: { what: "write", since, claims: named, isLeaving },
  };
  return { state: next, effects: [{ do: "write", claims: named, isLeaving, over }] };
}

function askDue(state: RingState, limits: RingLimits): number {
  if (state.mustList) return -Infinity;
  if (state.phase === "member" && without(state.claimed, state.confirmed) !== noSlots)
    return -Infinity;
  const present = [...state.others.values()].filter(({ isDeleted }) => !isDeleted);
  return Math.min(state.pollAt, ...present.map((other) => expiry(other, limits)));
}

/** Lists the members, or removes one that has expired. */
function ask(state: RingState, now: Now, limits: RingLimits): RingStep {
  if (state.asking || now.at < Math.max(askDue(state, limits), state.askNotBefore))
    return only(state);
  const dead = expired(state.others, now.at, limits);
  if (dead && !state.mustList) {
    const asking = { what: "remove", uid: dead.uid } as const;
    return { state: { ...state, asking }, effects: [{ do: "remove", other: dead }] };
  }
  const asking = { what: "list", confirms: state.claimed } as const;
  return { state: { ...state, asking }, effects: [{ do: "list" }] };
}

/** Puts off the next poll: soon without a watch, else after a silence that no member keeps. */
function heard(state: RingState, now: Now, { retryPeriodMs }: RingLimits): RingState {
  const periods = state.isWatched ? silentPeriods + now.chance : 1 + jitterFactor * now.chance;
  return { ...state, pollAt: now.at + retryPeriodMs * periods };
}

/** A member renews its Lease once in a period. */
const silentPeriods = 2.5;
/** The time between a write that met another version and the next one. */
const soonMs = 50;

const newest = (one: OwnLease | undefined, other: OwnLease): OwnLease =>
  !one || isNewer(other.resourceVersion, one.resourceVersion) ? other : one;

const only = (state: RingState): RingStep => ({ state, effects: none });

const end = (state: RingState): RingStep => ({
  state: { ...state, phase: "ended" },
  effects: [{ do: "ended" }],
});

const lose = (state: RingState, why: string, effects: readonly RingEffect[] = none): RingStep => ({
  state: { ...state, phase: "ended" },
  effects: [...effects, { do: "lost", why }],
});

function whyOverdue({ lastError }: RingState, { renewDeadlineMs }: RingLimits): string {
  const because = lastError === undefined ? "" : `: ${lastError}`;
  return `its Lease was not renewed within ${renewDeadlineMs / 1000} s${because}`;
}
