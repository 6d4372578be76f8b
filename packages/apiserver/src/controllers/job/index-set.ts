// Sets of completion indexes as ordered intervals, written `0,2-4,7,8`. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/indexed_job_utils.go (orderedIntervals).

/** From one index to another, both included. */
export interface IndexInterval {
  readonly first: number;
  readonly last: number;
}

/** Intervals in order that neither overlap nor touch. */
export type IndexSet = readonly IndexInterval[];

/** Parses a set. Invalid indexes and those not below `completions` are left out. */
export function parseIndexes(text: string | undefined, completions: number): IndexSet {
  const read: IndexInterval[] = [];
  for (const part of text ? text.split(",") : []) {
    const [first = NaN, last = first] = part.split("-").map(toIndex);
    if (Number.isNaN(first)) continue;
    if (first >= completions) break;
    if (!Number.isNaN(last)) read.push({ first, last: Math.min(last, completions - 1) });
  }
  return joinIndexes(read, []);
}

const toIndex = (text: string): number => (/^[+-]?[0-9]+$/.test(text) ? Number(text) : NaN);

/** A set of single indexes, in any order. */
export const toIndexSet = (indexes: Iterable<number>): IndexSet =>
  joinIndexes(
    [...indexes].toSorted((a, b) => a - b).map((index) => ({ first: index, last: index })),
    [],
  );

/** The union of two sets. */
export function joinIndexes(a: IndexSet, b: IndexSet): IndexSet {
  const joined: { first: number; last: number }[] = [];
  for (const { first, last } of [...a, ...b].toSorted((one, other) => one.first - other.first)) {
    const before = joined.at(-1);
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last);
    else joined.push({ first, last });
  }
  return joined;
}

/** The number of indexes. */
export const countOfIndexes = (set: IndexSet): number =>
  set.reduce((sum, { first, last }) => sum + last - first + 1, 0);

/**
 * Formats a set for a status: two neighbours are separated by a comma, longer runs joined by a
 * hyphen.
 */
export function formatIndexes(set: IndexSet): string {
  return set
    .map(({ first, last }) =>
      last === first ? `${first}` : `${first}${last === first + 1 ? "," : "-"}${last}`,
    )
    .join(",");
}

export const hasIndex = (set: IndexSet, index: number): boolean =>
  set.some(({ first, last }) => first <= index && index <= last);

/** The number of indexes in both sets. */
export function countOfCommon(a: IndexSet, b: IndexSet): number {
  let common = 0;
  for (const one of a)
    for (const other of b)
      common += Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1);
  return common;
}

/** The first `count` indexes below `completions` that are not in `taken`. */
export function firstFreeIndexes(
  taken: IndexSet,
  count: number,
  completions: number,
): readonly number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate++)
      free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}
