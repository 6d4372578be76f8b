// Which tests can notice a mutant: those that run its code, the likeliest and fastest first.
import { dirname } from "node:path";
import type { Mutant } from "./find-mutants.ts";
import type { CoveredRanges, CoveredTest, TestCoverage } from "./test-coverage.ts";

/** How often each test noticed a mutant of each file, `path` and `test` joined by a space. */
export type Kills = ReadonlyMap<string, number>;

export const killKey = (path: string, { file, name }: CoveredTest): string =>
  `${path} ${file} ${name}`;

/**
 * The tests that run the mutant's code, in the order in which to try them. Code that only loading
 * runs (constants) has the tests that run anything of the file. Of tests that run on both kinds of
 * server, the one without a network is enough.
 */
export function chooseTests(
  { path, start }: Pick<Mutant, "path" | "start">,
  { tests, between }: TestCoverage,
  kills: Kills,
): readonly CoveredTest[] {
  const runs = tests.filter(({ covers }) => isCovered(covers, path, start));
  const isLoaded = runs.length === 0 && between.some((covers) => isCovered(covers, path, start));
  const chosen = isLoaded ? tests.filter(({ covers }) => path in covers) : runs;
  const names = new Set(chosen.map(({ name }) => name));
  const killsOf = (test: CoveredTest): number => kills.get(killKey(path, test)) ?? 0;
  return chosen
    .filter(({ name }) => {
      const twin = name.replace("https server", "in-process server");
      return twin === name || !names.has(twin);
    })
    .sort((a, b) => killsOf(b) - killsOf(a) || costOf(a, path) - costOf(b, path));
}

function isCovered(covers: CoveredRanges, path: string, at: number): boolean {
  return covers[path]?.some(([start, end]) => start <= at && at < end) ?? false;
}

/** A test far from the code starts a server first. */
function costOf({ file, ms }: CoveredTest, path: string): number {
  if (dirname(file) === dirname(path)) return ms;
  return file.startsWith("packages/") ? ms + 100 : ms + 1500;
}
