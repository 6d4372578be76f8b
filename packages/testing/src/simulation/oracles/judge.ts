// What is wrong with a run, compared with a run in which nothing went wrong.
import type { Json } from "homeostat/api";
import { describeTarget } from "../wire/read-request.ts";
import type { Outcome, Rest } from "../run/outcome.ts";
import { compare } from "./compare.ts";
import { creationFaults, deletionFaults, tally, timesOf } from "./counts.ts";
import type { EndState } from "./end-state.ts";
import { lateCreation } from "./late-creation.ts";
import { leftBehind } from "./leftovers.ts";
import { foreignDeletions, strangeDeletions } from "./own-deletions.ts";
import { readinessFaults } from "./readiness.ts";
import { findSeries, isIn, type Place, type Series, seriesFaults } from "./shuffled.ts";
import type { Violation } from "./violation.ts";

/** What runs are compared with. */
export interface Reference {
  readonly clean: Outcome;
  /** Places that differ between clean runs, as `Kind namespace/name path`. */
  readonly volatile: ReadonlySet<string>;
  /** Places whose values only change hands with the order. */
  readonly series: readonly Series[];
}

/** What is wrong with a run in which a deed was done. */
export function judge(run: Outcome, reference: Reference): readonly Violation[] {
  if (run.error) return judgeAlone(run);
  return [
    ...judgeAlone(run),
    ...endStateFaults(run, reference),
    ...creationFaults(run, reference.clean),
    ...deletionFaults(run, reference.clean),
    ...foreignDeletions(run, reference.clean),
  ];
}

/** What is wrong with a run by itself. */
export function judgeAlone(run: Outcome): readonly Violation[] {
  const broken = run.broken.map((what) => ({ oracle: "invariants" as const, what }));
  if (run.error) return [...broken, failureOf(run.error)];
  const atRest = atEachRest(run, (rest) => [
    ...readinessFaults(rest.objects),
    ...leftBehind(run, rest),
  ]);
  return [...broken, ...atRest];
}

/** The operator does not come to rest, or else a step of the workload fails. */
const failureOf = (error: Error): Violation => ({
  oracle: "code" in error && error.code === "ERR_SCENARIO_NOT_CONVERGED" ? "converges" : "workload",
  what: error.message,
});

/** What is wrong with a run in which nothing went wrong. */
export function judgeClean(run: Outcome): readonly Violation[] {
  if (run.error) return judgeAlone(run);
  const empty = run.writes.filter(
    ({ info, status, hasChanged }) => info.subresource === "status" && status < 300 && !hasChanged,
  );
  return [
    ...judgeAlone(run),
    ...strangeDeletions(run),
    ...tally(empty.map(({ info }) => describeTarget(info))).map(([what, times]) => ({
      oracle: "no-empty-status-write" as const,
      what: `${what} was written ${timesOf(times)} without a change`,
    })),
  ];
}

/** At each rest, with its number unless it is the last one. */
const atEachRest = (
  { rests }: Outcome,
  faultsOf: (rest: Rest) => readonly Violation[],
): readonly Violation[] =>
  rests.flatMap((rest, i) =>
    faultsOf(rest).map(({ oracle, what }) => ({ oracle, what: `${whenOf(i, rests)}${what}` })),
  );

const whenOf = (i: number, rests: readonly Rest[]): string =>
  i === rests.length - 1 ? "in the end, " : `at rest ${i}, `;

/** Clean runs: the first, one with other random numbers, and one in another order. */
export function referenceOf(clean: Outcome, reseeded: Outcome, reordered: Outcome): Reference {
  const random = endStateDifferences(clean, reseeded);
  const isRandom = new Set(random.map(({ place }) => place));
  const moved = endStateDifferences(clean, reordered).filter(({ place }) => !isRandom.has(place));
  const places = moved.flatMap(({ at }) => (at === undefined ? [] : [at]));
  const series = findSeries(clean, reordered, places);
  const volatile = [...random, ...moved.filter(({ at }) => !at || !isIn(series, at))];
  return { clean, volatile: new Set(volatile.map(({ place }) => place)), series };
}

interface PlacedDifference {
  readonly place: string;
  /** Undefined where a whole object is missing or left over. */
  readonly at?: Place;
  readonly what: string;
}

const endStateDifferences = (expected: Outcome, actual: Outcome): readonly PlacedDifference[] =>
  actual.rests.flatMap(({ state }, i) =>
    differences(expected.rests[i]?.state ?? new Map(), state, i).map(({ place, what, at }) => ({
      place: `${i} ${place}`,
      ...(at ? { at } : {}),
      what: `${whenOf(i, actual.rests)}${what}`,
    })),
  );

function differences(
  expected: EndState,
  actual: EndState,
  rest: number,
): readonly PlacedDifference[] {
  const titles = new Set([...expected.keys(), ...actual.keys()]);
  return [...titles].flatMap((title) => {
    const [before, after] = [expected.get(title), actual.get(title)];
    if (after === undefined) return [{ place: title, what: `${title} is missing` }];
    if (before === undefined) return [{ place: title, what: `${title} is left over` }];
    return compare(before, after).map(({ path, expected: wanted, actual: found }) => ({
      place: `${title} ${path}`,
      at: { rest, title, kind: title.slice(0, title.indexOf(" ")), path },
      what: `${title}: ${path} is ${show(found)} instead of ${show(wanted)}`,
    }));
  });
}

function endStateFaults(
  run: Outcome,
  { clean, volatile, series }: Reference,
): readonly Violation[] {
  const late = lateCreation(run);
  const faults = endStateDifferences(clean, run)
    .filter(({ place }) => !volatile.has(place) && !(late && place.endsWith(` ${late.title}`)))
    .filter(({ at }) => at === undefined || !isIn(series, at))
    .map(({ what }) => ({ oracle: "same-end-state" as const, what }));
  return [...faults, ...(late ? [] : seriesFaults(run, clean, series))];
}

const show = (value: Json | undefined): string =>
  value === undefined ? "absent" : JSON.stringify(value);
