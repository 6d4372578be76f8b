// What is wrong with a run, compared with a run in which nothing went wrong.
import type { Json, JsonObject } from "homeostat/api";
import { describeTarget } from "../wire/read-request.ts";
import { isReport, type Write } from "../run/ledger.ts";
import type { Outcome, Rest } from "../run/outcome.ts";
import { compare } from "./compare.ts";
import type { EndState } from "./end-state.ts";
import { readinessFaults } from "./readiness.ts";
import type { Violation } from "./violation.ts";

/** What runs are compared with. */
export interface Reference {
  readonly clean: Outcome;
  /** Places that differ between clean runs, as `Kind namespace/name path`. */
  readonly volatile: ReadonlySet<string>;
}

/** What is wrong with a run in which a deed was done. */
export function judge(run: Outcome, reference: Reference): readonly Violation[] {
  if (run.error) return judgeAlone(run);
  return [
    ...judgeAlone(run),
    ...endStateFaults(run, reference),
    ...(isStale(run) ? [] : countFaults(run, reference.clean, "same-creations", createdBy)),
    ...countFaults(run, reference.clean, "same-deletions", deletedBy),
    ...foreignDeletions(run, reference.clean),
  ];
}

/**
 * An operator with an old view may create again what is gone, such as a part of an object that has
 * just been deleted: what counts is that it is gone in the end.
 */
const isStale = ({ plan: { order, deeds } }: Outcome): boolean =>
  order === "random" || deeds.some((deed) => deed.at === "event" || deed.do === "two-leaders");

/** What is wrong with a run by itself. */
export function judgeAlone(run: Outcome): readonly Violation[] {
  const broken = run.broken.map((what) => ({ oracle: "invariants" as const, what }));
  if (run.error) return [...broken, failureOf(run.error)];
  const atRest = atEachRest(run, ({ objects }) => [
    ...readinessFaults(objects),
    ...(run.hasGarbageCollector ? leftovers(objects) : []),
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

/** The places at which two clean runs differ. */
export function volatilePlaces(one: Outcome, other: Outcome): ReadonlySet<string> {
  return new Set(endStateDifferences(one, other).map(({ place }) => place));
}

interface PlacedDifference {
  readonly place: string;
  readonly what: string;
}

const endStateDifferences = (expected: Outcome, actual: Outcome): readonly PlacedDifference[] =>
  actual.rests.flatMap(({ state }, i) =>
    differences(expected.rests[i]?.state ?? new Map(), state).map(({ place, what }) => ({
      place: `${i} ${place}`,
      what: `${whenOf(i, actual.rests)}${what}`,
    })),
  );

function differences(expected: EndState, actual: EndState): readonly PlacedDifference[] {
  const titles = new Set([...expected.keys(), ...actual.keys()]);
  return [...titles].flatMap((title) => {
    const [before, after] = [expected.get(title), actual.get(title)];
    if (after === undefined) return [{ place: title, what: `${title} is missing` }];
    if (before === undefined) return [{ place: title, what: `${title} is left over` }];
    return compare(before, after).map(({ path, expected: wanted, actual: found }) => ({
      place: `${title} ${path}`,
      what: `${title}: ${path} is ${show(found)} instead of ${show(wanted)}`,
    }));
  });
}

function endStateFaults(run: Outcome, { clean, volatile }: Reference): readonly Violation[] {
  return endStateDifferences(clean, run)
    .filter(({ place }) => !volatile.has(place))
    .map(({ what }) => ({ oracle: "same-end-state", what }));
}

const show = (value: Json | undefined): string =>
  value === undefined ? "absent" : JSON.stringify(value);

/** More of them than in the clean run. */
function countFaults(
  run: Outcome,
  clean: Outcome,
  oracle: "same-creations" | "same-deletions",
  countedBy: (run: Outcome) => readonly string[],
): readonly Violation[] {
  const expected = new Map(tally(countedBy(clean)));
  const verb = oracle === "same-creations" ? "created" : "deleted";
  return tally(countedBy(run))
    .filter(([what, times]) => times > (expected.get(what) ?? 0))
    .map(([what, times]) => ({
      oracle,
      what: `${what} was ${verb} ${timesOf(times)} instead of ${timesOf(expected.get(what) ?? 0)}`,
    }));
}

const isDone = ({ status, info }: Write): boolean => status < 300 && !isReport(info);

const isCreation = (write: Write): boolean =>
  isDone(write) && write.status === 201 && write.info.subresource === "";

/** By resource and name; what has a generated name counts by its resource. */
const createdBy = ({ writes }: Outcome): readonly string[] =>
  writes.filter(isCreation).map(({ info, answer }) => {
    const { name, generateName } = { generateName: "", ...answer?.metadata };
    const called = generateName === "" ? (name ?? info.name) : `${generateName}…`;
    return describeTarget({ ...info, name: called });
  });

const isDeletion = (write: Write): boolean =>
  isDone(write) && write.info.verb === "delete" && write.info.subresource === "";

const deletedBy = ({ writes }: Outcome): readonly string[] =>
  writes.filter(isDeletion).map(({ info }) => describeTarget(info));

/** The operator deletes what it has not created, and does not in a clean run. */
function foreignDeletions(run: Outcome, clean: Outcome): readonly Violation[] {
  const usual = new Set(deletedBy(clean));
  const created = new Set(createdBy(run));
  return [...new Set(deletedBy(run))]
    .filter((what) => !usual.has(what) && !created.has(what))
    .map((what) => ({
      oracle: "deletes-only-its-own",
      what: `${what} was deleted by the operator, which has not created it`,
    }));
}

interface OwnedMeta {
  readonly uid: string;
  readonly name: string;
  readonly namespace?: string;
  readonly ownerReferences?: readonly {
    readonly uid: string;
    readonly kind: string;
    readonly name: string;
  }[];
}

/** Objects whose owners are all gone. */
function leftovers(objects: readonly JsonObject[]): readonly Violation[] {
  const uids = new Set(objects.map((object) => metaOf(object).uid));
  return objects.flatMap((object) => {
    const { ownerReferences = [], name } = metaOf(object);
    if (ownerReferences.length === 0 || ownerReferences.some(({ uid }) => uids.has(uid))) return [];
    const [owner] = ownerReferences;
    return [
      {
        oracle: "leaves-nothing-behind" as const,
        what: `${String(object["kind"])} ${name} is left behind by ${owner!.kind} ${owner!.name}, which is gone`,
      },
    ];
  });
}

const metaOf = (object: JsonObject): OwnedMeta => object["metadata"] as unknown as OwnedMeta;

function tally(names: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts];
}

const timesOf = (times: number): string => ["never", "once"][times] ?? `${times} times`;
