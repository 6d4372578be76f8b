// What a Lease says of a leader, and what a leader writes into it. Pure.
// Upstream: k8s.io/client-go/tools/leaderelection/resourcelock/leaselock.go; a Lease that Go writes
// and one of these are alike, so that each side takes over from the other.
import { compareResourceVersions } from "../api/resource-version.ts";
import type { Lease, LeaseSpec } from "../k8s/coordination/v1/models.ts";

/** Undefined when nobody holds the Lease. */
export const holderOf = ({ spec }: Lease): string | undefined => spec?.holderIdentity || undefined;

/** How long the holder may be unheard of, by its own word. */
export const durationMs = ({ spec }: Lease): number => (spec?.leaseDurationSeconds ?? 0) * 1000;

/** Whether a Lease has been renewed, taken or released between two looks at it. */
function isSameRecord(one: Lease, other: Lease): boolean {
  return recordFields.every((field) => one.spec?.[field] === other.spec?.[field]);
}

const recordFields = [
  "holderIdentity",
  "leaseDurationSeconds",
  "acquireTime",
  "renewTime",
  "leaseTransitions",
] as const satisfies readonly (keyof LeaseSpec)[];

/** The record of a holder that takes or renews `over`, at the wall time `now`. */
export function heldSpec(
  identity: string,
  leaseDurationMs: number,
  over: Lease | undefined,
  now: number,
): LeaseSpec {
  const renewTime = microTime(now);
  const isOwn = over !== undefined && holderOf(over) === identity;
  const { acquireTime = renewTime, leaseTransitions = 0 } = over?.spec ?? {};
  return {
    holderIdentity: identity,
    leaseDurationSeconds: leaseDurationMs / 1000,
    acquireTime: isOwn ? acquireTime : renewTime,
    renewTime,
    leaseTransitions: over !== undefined && !isOwn ? leaseTransitions + 1 : leaseTransitions,
  };
}

/** The record of a Lease that is given up. */
export function releasedSpec(over: Lease, now: number): LeaseSpec {
  const time = microTime(now);
  return {
    holderIdentity: "",
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions: over.spec?.leaseTransitions ?? 0,
  };
}

/** Exactly six digits, which the server demands: `2026-01-01T00:00:00.123000Z`. */
const microTime = (wall: number): string => new Date(wall).toISOString().replace("Z", "000Z");

/** Whether two looks at a Lease saw the same, also when both saw none. */
export function isSameLease(one: Lease | undefined, other: Lease | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSameRecord(one, other);
}

/** Events may come after the answer that is newer than they are. */
export function isOlder(one: Lease | undefined, seen: Lease | undefined): boolean {
  if (!one || !seen || one.metadata.uid !== seen.metadata.uid) return false;
  const { resourceVersion } = one.metadata;
  return (compareResourceVersions(resourceVersion, seen.metadata.resourceVersion) ?? 1) < 0;
}
