// What is known of the other members of a ring: their Leases as last seen, and when that was.
// A member counts, with all that it claims, until its Lease is gone for a reason that ends its
// right to write: it has given up its claims before, or it has expired.
import { compareResourceVersions } from "../../api/resource-version.ts";
import type { MemberRecord, OtherMember, RingLimits, RingState } from "./ring-state.ts";
import { noSlots, type SlotSet } from "./slot-set.ts";

type Known = Pick<RingState, "others" | "gone">;

/** A Lease as a watch shows it. */
export function withSeen({ others, gone }: Known, record: MemberRecord, at: number): Known {
  const known = others.get(record.uid);
  if (gone.has(record.uid)) return { others, gone };
  if (known && !isNewer(record.resourceVersion, known.resourceVersion)) return { others, gone };
  const next = new Map(others).set(record.uid, { ...record, changedAt: at, isDeleted: false });
  return { others: next, gone };
}

/** A Lease that was deleted, as it was at last. */
export function withDeleted({ others, gone }: Known, record: MemberRecord, at: number): Known {
  const known = others.get(record.uid);
  // The end of a member that has expired, or held nothing, is known.
  if (!known && gone.has(record.uid)) return { others, gone };
  const next = new Map(others);
  // A renewal that this process has not seen may have been just now.
  const changedAt = known?.renewTime === record.renewTime ? (known?.changedAt ?? at) : at;
  if (record.claims === noSlots) next.delete(record.uid);
  else next.set(record.uid, { ...record, changedAt, isDeleted: true });
  return { others: next, gone: new Set(gone).add(record.uid) };
}

/** All Leases as a list shows them, of which some may be older than what a watch has shown. */
export function withListed(
  known: Known,
  records: readonly MemberRecord[],
  { at, resourceVersion }: { readonly at: number; readonly resourceVersion: string },
): Known {
  const listed = new Set(records.map(({ uid }) => uid));
  let next = known;
  for (const record of records) next = withSeen(next, record, at);
  for (const other of known.others.values())
    if (
      !listed.has(other.uid) &&
      !other.isDeleted &&
      !isNewer(other.resourceVersion, resourceVersion)
    )
      next = withDeleted(next, other, at);
  // No list shows it again once one has left it out.
  const gone = new Set([...next.gone].filter((uid) => listed.has(uid) || next.others.has(uid)));
  return { others: next.others, gone };
}

/** A Lease was removed because it had expired here: its member can write nothing. */
export function withRemoved({ others, gone }: Known, uid: string): Known {
  const next = new Map(others);
  next.delete(uid);
  return { others: next, gone: new Set(gone).add(uid) };
}

/** Without members whose deleted Leases have expired. */
export function withoutExpired(state: RingState, now: number, limits: RingLimits): RingState {
  const isOver = (one: OtherMember): boolean => one.isDeleted && expiry(one, limits) <= now;
  const { others } = state;
  if (![...others.values()].some(isOver)) return state;
  return { ...state, others: new Map([...others].filter(([, one]) => !isOver(one))) };
}

/**
 * When a member may be taken for dead. One with the identity of this process is its predecessor.
 */
export function expiry(
  { identity, changedAt, durationMs }: OtherMember,
  limits: RingLimits,
): number {
  return identity === limits.identity ? -Infinity : changedAt + durationMs;
}

/** A member that has expired, and whose Lease is still there. */
export function expired(
  others: RingState["others"],
  now: number,
  limits: RingLimits,
): OtherMember | undefined {
  return [...others.values()].find((one) => !one.isDeleted && expiry(one, limits) <= now);
}

/** The slots that others hold or wait for. */
export function claimedByOthers(others: RingState["others"]): SlotSet {
  let claims = noSlots;
  for (const other of others.values()) claims |= other.claims;
  return claims;
}

/** The identities of the members that share the slots. */
export function sharingMembers({ others, phase }: RingState, limits: RingLimits): string[] {
  const sharing = [...others.values()].filter(
    ({ isLeaving, isDeleted }) => !isLeaving && !isDeleted,
  );
  const own = phase === "leaving" ? [] : [limits.identity];
  return [...new Set([...own, ...sharing.map(({ identity }) => identity)])].toSorted();
}

/** True where they cannot be compared: then the one that comes later counts. */
export const isNewer = (one: string, other: string): boolean =>
  (compareResourceVersions(one, other) ?? 1) > 0;
