// What a member of a ring knows, what it hears and what it asks for.
import type { Moment } from "../election.machine.ts";
import type { ElectionTimings } from "../election-timings.ts";
import { noSlots, type SlotSet } from "./slot-set.ts";

/** Who takes part, and by which timings. */
export interface RingLimits extends ElectionTimings {
  /** The name of this member's Lease, which no other process ever uses. */
  readonly name: string;
  readonly identity: string;
  /** The number of slots of the ring. */
  readonly slots: number;
}

/** What the Lease of a member says. */
export interface MemberRecord {
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly identity: string;
  readonly durationMs: number;
  /** Its clock's time of the last renewal, which is only compared with another one of the same. */
  readonly renewTime: string | undefined;
  /** The slots that it holds or waits for; all, when its Lease does not say. */
  readonly claims: SlotSet;
  /** It takes no slots any more. */
  readonly isLeaving: boolean;
}

/** Another member. */
export interface OtherMember extends MemberRecord {
  /** The local time at which its Lease was last seen to change. */
  readonly changedAt: number;
  /** Its Lease is deleted, and it may still work until it would have expired. */
  readonly isDeleted: boolean;
}

/** Which object the own Lease is, and which version of it. */
export interface OwnLease {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** A write of the own Lease without an answer. */
export interface OwnWrite {
  readonly what: "write" | "delete";
  readonly since: Moment;
  readonly claims: SlotSet;
  readonly isLeaving: boolean;
}

/** A request about the others without an answer. */
export type Inquiry =
  /** `confirms`: slots whose claim the server had when the request was sent. */
  | { readonly what: "list"; readonly confirms: SlotSet }
  | { readonly what: "remove"; readonly uid: string };

/** The state of a member. */
export interface RingState {
  readonly phase: "joining" | "member" | "leaving" | "ended";
  /** The own Lease as last known; undefined before it exists. */
  readonly own: OwnLease | undefined;
  /** By the uids of their Leases: a creation that comes late may use a name again. */
  readonly others: ReadonlyMap<string, OtherMember>;
  /** The uids of Leases that are known to be deleted. */
  readonly gone: ReadonlySet<string>;
  readonly hasListed: boolean;
  /** The members that share the slots, this one included, and the slots that are for this one. */
  readonly members: readonly string[];
  readonly wanted: SlotSet;
  /** Slots that the own Lease names by the server's answer, and that no later write leaves out. */
  readonly claimed: SlotSet;
  /** Those of `claimed` whose claim was at the server before the others' Leases were listed. */
  readonly confirmed: SlotSet;
  /** Those of `confirmed` that no other member had: the right to reconcile. */
  readonly held: SlotSet;
  /** Slots that are no longer wanted, and in which nothing is reconciled any more. */
  readonly drained: SlotSet;
  /** The own Lease says that this member leaves. */
  readonly hasSaidLeaving: boolean;
  readonly writing: OwnWrite | undefined;
  readonly asking: Inquiry | undefined;
  readonly writeNotBefore: number;
  readonly askNotBefore: number;
  readonly mustList: boolean;
  /** The members are listed at this time unless there is news before. */
  readonly pollAt: number;
  readonly isWatched: boolean;
  /** When the last renewal that succeeded was sent. */
  readonly renewed: Moment | undefined;
  readonly lastError: string | undefined;
}

/** The Lease is another one than was known (409), or there is none (404). */
export type WriteFault = "changed" | "gone" | "failed";

export type RingInput =
  | { readonly type: "tick" | "leave" }
  | { readonly type: "watching"; readonly is: boolean }
  | {
      readonly type: "listed";
      readonly records: readonly MemberRecord[];
      readonly resourceVersion: string;
    }
  /** By a watch. */
  | { readonly type: "saw" | "deleted"; readonly record: MemberRecord }
  | { readonly type: "wrote"; readonly own: OwnLease }
  | { readonly type: "writeFailed"; readonly fault: WriteFault; readonly error: string }
  /** The Lease that was to be removed is gone. */
  | { readonly type: "removed" }
  | { readonly type: "askFailed"; readonly fault: WriteFault; readonly error: string }
  /** Nothing is reconciled any more in these slots, which were taken from the gate. */
  | { readonly type: "drained"; readonly slots: SlotSet };

export type RingEffect =
  | {
      readonly do: "write";
      readonly claims: SlotSet;
      readonly isLeaving: boolean;
      /** Undefined to create the Lease. */
      readonly over: OwnLease | undefined;
    }
  | { readonly do: "delete"; readonly over: OwnLease }
  | { readonly do: "list" }
  /** Deletes the Lease of a member that has expired, if it is still as it was seen. */
  | { readonly do: "remove"; readonly other: OtherMember }
  /** These slots may be reconciled from now on, or no longer. */
  | { readonly do: "gain" | "lose"; readonly slots: SlotSet }
  | { readonly do: "joined" }
  /** Nothing may be written any more. */
  | { readonly do: "lost"; readonly why: string }
  | { readonly do: "ended" };

export interface RingStep {
  readonly state: RingState;
  readonly effects: readonly RingEffect[];
}

export const initialRing: RingState = {
  phase: "joining",
  own: undefined,
  others: new Map(),
  gone: new Set(),
  hasListed: false,
  members: [],
  wanted: noSlots,
  claimed: noSlots,
  confirmed: noSlots,
  held: noSlots,
  drained: noSlots,
  hasSaidLeaving: false,
  writing: undefined,
  asking: undefined,
  writeNotBefore: -Infinity,
  askNotBefore: -Infinity,
  mustList: true,
  pollAt: Infinity,
  isWatched: false,
  renewed: undefined,
  lastError: undefined,
};

/** The slots that this member reconciles. */
export const ownedSlots = ({ phase, held, wanted }: RingState): SlotSet =>
  phase === "member" ? held & wanted : noSlots;
