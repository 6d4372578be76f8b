// Values that objects of a kind take in the order in which their turn comes, such as ports: another
// order deals them out otherwise, but they stay the same values. A value that is given twice, or
// lost, is a fault.
import { isObject, type Json } from "homeostat/api";
import type { Outcome } from "../run/outcome.ts";
import type { EndState } from "./end-state.ts";
import type { Violation } from "./violation.ts";

/** A place in all objects of a kind. */
export interface Series {
  /** The number of the rest. */
  readonly rest: number;
  readonly kind: string;
  readonly path: string;
}

/** A place in one object. */
export interface Place extends Series {
  readonly title: string;
}

/** The series of places that have the same values in both runs, dealt out otherwise. */
export function findSeries(
  clean: Outcome,
  other: Outcome,
  places: readonly Place[],
): readonly Series[] {
  const series = new Map(places.map((place) => [idOf(place), place]));
  return [...series.values()].filter(
    (one) => places.filter((place) => idOf(place) === idOf(one)).length > 1 && isShared(one),
  );

  function isShared(one: Series): boolean {
    return textOf(valuesOf(clean, one)) === textOf(valuesOf(other, one));
  }
}

/** True for a place of one of them. */
export const isIn = (series: readonly Series[], place: Place): boolean =>
  series.some((one) => idOf(one) === idOf(place));

/** What is given twice, or lost. */
export function seriesFaults(
  run: Outcome,
  clean: Outcome,
  series: readonly Series[],
): readonly Violation[] {
  return series.flatMap((one) => {
    const [found, wanted] = [textOf(valuesOf(run, one)), textOf(valuesOf(clean, one))];
    if (found === wanted) return [];
    return [
      {
        oracle: "same-end-state" as const,
        what: `at rest ${one.rest}, ${one.path} of all objects of kind ${one.kind} is ${found} instead of ${wanted}, in any order`,
      },
    ];
  });
}

const idOf = ({ rest, kind, path }: Series): string => `${rest} ${kind} ${path}`;

function valuesOf({ rests }: Outcome, { rest, kind, path }: Series): readonly string[] {
  const state: EndState = rests[rest]?.state ?? new Map();
  return [...state]
    .filter(([title]) => title.startsWith(`${kind} `))
    .map(([, value]) => JSON.stringify(pick(value, path)) ?? "absent");
}

const textOf = (values: readonly string[]): string => values.toSorted().join(", ");

/** The value at a path as `compare` writes it. */
function pick(value: Json, path: string, at = ""): Json | undefined {
  if (at === path) return value;
  const members: readonly (readonly [string, Json])[] = Array.isArray(value)
    ? value.map((item: Json, i) => [`${at}[${i}]`, item] as const)
    : Object.entries(isObject(value) ? value : {}).map(
        ([name, member]) => [at === "" ? name : `${at}.${name}`, member as Json] as const,
      );
  for (const [below, member] of members)
    if (path === below || path.startsWith(`${below}.`) || path.startsWith(`${below}[`)) {
      const found = pick(member, path, below);
      if (found !== undefined) return found;
    }
  return undefined;
}
