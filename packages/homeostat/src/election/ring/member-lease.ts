// The Lease of one member: its ring, the slots it claims, and whether it leaves. Pure, and part of
// the protocol: members of all versions read it.
import type { Lease, LeaseSpec } from "../../k8s/coordination/v1/models.ts";
import { durationMs, heldSpec, holderOf } from "../lease-record.ts";
import type { MemberRecord, OwnLease } from "./ring-state.ts";
import { allSlots, formatSlots, parseSlots, type SlotSet } from "./slot-set.ts";

/** The label of all Leases of a ring, with the ring's name. */
export const ringLabel = "homeostat.dev/ring";
const slotsAnnotation = "homeostat.dev/slots";
const leavingAnnotation = "homeostat.dev/leaving";

/** What a Lease says of its member. */
export function memberRecord(lease: Lease, slots: number): MemberRecord {
  const { name, uid, resourceVersion, annotations } = lease.metadata;
  return {
    name,
    uid,
    resourceVersion,
    identity: holderOf(lease) ?? name,
    durationMs: durationMs(lease),
    renewTime: lease.spec.renewTime,
    // A member that names its slots in another way may hold any.
    claims: parseSlots(annotations?.[slotsAnnotation], slots) ?? allSlots(slots),
    isLeaving: annotations?.[leavingAnnotation] === "true",
  };
}

/** What a member writes into its Lease. */
export interface OwnClaims {
  readonly name: string;
  readonly ring: string;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly claims: SlotSet;
  readonly slots: number;
  readonly isLeaving: boolean;
}

/** The Lease to write over `over`, or to create, at the wall time `now`. */
export function memberLease(own: OwnClaims, over: Lease | undefined, now: number): MemberLease {
  const { metadata } = over ?? {};
  const annotations = {
    ...metadata?.annotations,
    [slotsAnnotation]: formatSlots(own.claims, own.slots),
    ...(own.isLeaving ? { [leavingAnnotation]: "true" } : {}),
  };
  return {
    name: own.name,
    labels: { ...metadata?.labels, [ringLabel]: own.ring },
    annotations,
    spec: heldSpec(own.identity, own.leaseDurationMs, over, now),
  };
}

/** What of a Lease a member writes. */
export interface MemberLease {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: LeaseSpec;
}

/** Of this version, or none. */
export const asUpdate = (metadata: Omit<MemberLease, "spec">, spec: LeaseSpec, over: OwnLease) =>
  ({
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: { ...metadata, ...over },
    spec,
  }) as const;
