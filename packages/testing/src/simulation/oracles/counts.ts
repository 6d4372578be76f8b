// An operator creates and deletes as often as when nothing goes wrong.
import type { Outcome } from "../run/outcome.ts";
import type { Violation } from "./violation.ts";
import { createdBy, deletedBy } from "./writes.ts";

/**
 * An operator with an old view may create again what is gone, such as a part of an object that has
 * just been deleted: what counts is that it is gone in the end.
 */
const isStale = ({ plan: { order, deeds } }: Outcome): boolean =>
  order === "random" || deeds.some((deed) => deed.at === "event" || deed.do === "two-leaders");

export const creationFaults = (run: Outcome, clean: Outcome): readonly Violation[] =>
  isStale(run)
    ? []
    : more(createdBy(run), createdBy(clean)).map((what) => ({
        oracle: "same-creations",
        what: what("created"),
      }));

/** What an operator with an old view has created again it also deletes again. */
export function deletionFaults(run: Outcome, clean: Outcome): readonly Violation[] {
  const usual = new Set(deletedBy(clean));
  const left = clean.rests.at(-1)?.targets;
  const counted = deletedBy(run).filter(
    (what) => !isStale(run) || !usual.has(what) || left?.has(what),
  );
  return more(counted, deletedBy(clean)).map((what) => ({
    oracle: "same-deletions",
    what: what("deleted"),
  }));
}

/** What `counted` names more often than `expected`. */
function more(
  counted: readonly string[],
  expected: readonly string[],
): readonly ((verb: string) => string)[] {
  const usual = new Map(tally(expected));
  return tally(counted)
    .filter(([what, times]) => times > (usual.get(what) ?? 0))
    .map(
      ([what, times]) =>
        (verb) =>
          `${what} was ${verb} ${timesOf(times)} instead of ${timesOf(usual.get(what) ?? 0)}`,
    );
}

export function tally(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}

export const timesOf = (times: number): string => ["never", "once"][times] ?? `${times} times`;
