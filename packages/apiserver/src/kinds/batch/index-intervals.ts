// Lists of indexes such as `0,2-4,7`.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (validateIndexesFormat,
// parseIndexInterval).
import { quoteGo } from "../../apimachinery/errors/field-error.ts";

type Interval = readonly [from: number, to: number];

/** The number of indexes in a list, or its fault. */
export function countIndexes(
  text: string,
  completions: number,
): { readonly count: number } | { readonly fault: string } {
  if (!text) return { count: 0 };
  let last: number | undefined;
  let count = 0;
  for (const part of text.split(",")) {
    const interval = readInterval(part, completions);
    if (typeof interval === "string") return { fault: interval };
    const [from, to] = interval;
    if (last !== undefined && last >= from)
      return { fault: `non-increasing order, previous: ${last}, current: ${from}` };
    count += to - from + 1;
    last = to;
  }
  return { count };
}

function readInterval(text: string, completions: number): Interval | string {
  const ends = text.split("-");
  if (ends.length > 2)
    return `the fragment ${quoteGo(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const end of ends) {
    if (!/^[+-]?[0-9]+$/.test(end))
      return `cannot convert string to integer for index: ${quoteGo(end)}`;
    if (Number(end) >= completions) return `too large index: ${quoteGo(end)}`;
  }
  const [from, to = from] = ends.map(Number) as [number, number?];
  return ends.length === 2 && from >= to!
    ? `non-increasing order, previous: ${from}, current: ${to}`
    : [from, to!];
}

/** The first index that is in both lists; unreadable parts do not count. */
export function findOverlap(
  completed: string,
  failed: string,
  completions: number,
): number | undefined {
  const read = (text: string): Interval[] =>
    (text ? text.split(",") : [])
      .map((part) => readInterval(part, completions))
      .filter((each) => typeof each !== "string");
  const failedIntervals = read(failed);
  for (const [from, to] of read(completed)) {
    const met = failedIntervals.find(([a, b]) => from <= b && a <= to);
    if (met) return Math.max(from, met[0]);
  }
  return undefined;
}
