// The Lease of one member: which ring it belongs to, which slots it claims, whether it leaves. Pure,
// and part of the protocol: members of all versions read it.
import type { Lease } from "../../k8s/coordination/v1/models.ts";
import type { CreateManifestOf } from "../../api/kind.ts";
import type { Lease as LeaseKind } from "../../k8s/coordination/v1/index.ts";
import { durationMs, heldSpec, holderOf } from "../lease-record.ts";
import type { MemberRecord } from "./ring-state.ts";
import { allSlots, formatSlots, parseSlots, type SlotSet } from "./slot-set.ts";

/** The label of all Leases of a ring, with the ring's name. */
export const ringLabel = "homeostat.dev/ring";
const slotsAnnotation = "homeostat.dev/slots";
const leavingAnnotation = "homeostat.dev/leaving";

/** What a Lease says of its member. */
export function memberRecord({ metadata, spec, ...lease }: Lease, slots: number): MemberRecord {
  const { name, uid, resourceVersion, annotations = {} } = metadata;
  return {
    name: name!,
    uid: uid!,
    resourceVersion: resourceVersion!,
    identity: spec?.holderIdentity ?? name!,
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    renewTime: spec?.renewTime,
    // One that says it otherwise may hold any.
    claims: parseSlots(annotations[slotsAnnotation], slots) ?? allSlots(slots),
    isLeaving: annotations[leavingAnnotation] === "true",
  };
}
