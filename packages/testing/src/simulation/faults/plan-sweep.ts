// Which deeds a sweep tries, from the moments of a clean run; those that cannot matter are left
// out.
import type { Deed, EventDeed, RequestDeed, WriteDeed } from "./deed.ts";
import type { Moment } from "./agenda.ts";

const ofWrites: readonly WriteDeed[] = [
  "crash",
  "lose-answer",
  "conflict",
  "two-leaders",
  "clock-forward",
  "clock-back",
];
const ofRequests: readonly RequestDeed[] = ["error-500", "error-429", "cut"];
const ofEvents: readonly EventDeed[] = ["close", "late", "unseen", "twice", "time-travel"];

/** One for each moment and each deed that it allows. */
export function planSweep(moments: readonly Moment[]): readonly Deed[] {
  return moments.flatMap(({ at, number, verb }): readonly Deed[] => {
    switch (at) {
      case "write":
        return ofWrites
          .filter((deed) => deed !== "conflict" || verb === "update" || verb === "patch")
          .map((deed) => ({ at, number, do: deed }));
      case "request":
        return ofRequests.map((deed) => ({ at, number, do: deed }));
      case "event":
        return ofEvents
          .filter((deed) => deed !== "time-travel" || verb !== "first")
          .map((deed) => ({ at, number, do: deed }));
    }
  });
}
