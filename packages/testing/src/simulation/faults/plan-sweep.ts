// Which deeds a sweep tries, from the moments of a clean run. Those that cannot matter are left
// out; of those that do nearly the same, each moment has one.
import type { Moment } from "./agenda.ts";
import type { Deed, EventDeed, RequestDeed, WriteDeed } from "./deed.ts";

/** What a clean run has shown besides its moments. */
export interface SweepHints {
  /** The operator has taken the wall clock from Node. */
  readonly usesDate: boolean;
}

/** Each at each write. */
const ofWrites: readonly WriteDeed[] = ["crash", "lose-answer", "two-leaders"];
const clocks: readonly WriteDeed[] = ["clock-forward", "clock-back"];
/** In turns: in each the request is not carried out. */
const ofRequests: readonly RequestDeed[] = ["error-500", "error-429", "cut"];
/** Each at each event. */
const ofEvents: readonly EventDeed[] = ["late", "unseen", "time-travel"];
/** In turns: after each the watch has missed nothing. */
const harmlessEvents: readonly EventDeed[] = ["close", "twice"];

/** The deeds of a sweep, in the order of their moments. */
export const planSweep = (moments: readonly Moment[], hints: SweepHints): readonly Deed[] =>
  moments.flatMap((moment) => deedsAt(moment, hints));

function deedsAt({ at, number, verb }: Moment, { usesDate }: SweepHints): readonly Deed[] {
  switch (at) {
    case "write":
      return [
        ...ofWrites,
        ...(verb === "update" || verb === "patch" ? (["conflict"] as const) : []),
        ...(usesDate ? clocks : []),
      ].map((deed) => ({ at, number, do: deed }));
    case "request":
      return [{ at, number, do: isRead(verb) ? "error-500" : turn(ofRequests, number) }];
    case "event":
      return [
        ...ofEvents.filter((deed) => deed !== "time-travel" || verb !== "first"),
        turn(harmlessEvents, number),
      ].map((deed) => ({ at, number, do: deed }));
  }
}

/** After a 429 or a broken connection the client itself reads again: only this reaches the code. */
const isRead = (verb: string): boolean => verb === "get" || verb === "list";

const turn = <T>(deeds: readonly T[], number: number): T => deeds[number % deeds.length]!;
