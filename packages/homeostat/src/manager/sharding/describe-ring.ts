// What the log says of a ring: `3 replicas share the objects (a, b, c); this one has 341 of 1024
// slots, 171 fewer`.
import type { RingReport } from "../../election/ring/ring-member.ts";

const namesShown = 10;

/** A line for a ring that has settled, where this replica had `before` slots. */
export function describeRing({ members, slots }: RingReport, before: number): string {
  const { all, owned } = slots;
  const shown = members.slice(0, namesShown).join(", ");
  const more = members.length > namesShown ? ` and ${members.length - namesShown} more` : "";
  const change = owned - before;
  const moved = change === 0 ? "" : `, ${Math.abs(change)} ${change > 0 ? "more" : "fewer"}`;
  const who =
    members.length === 1
      ? `${shown} has the objects alone`
      : `${members.length} replicas share the objects (${shown}${more})`;
  return `${who}; this one has ${owned} of ${all} slots${moved}`;
}

/** True when this replica has what is for it. */
export const isSettled = ({ slots, draining }: RingReport): boolean =>
  slots.owned === slots.wanted && draining === 0;
