// Which test runs which code: every test file runs once, in a process of its own, and V8 counts
// blocks per test. Kept in node_modules/.cache until the test file or a file that it runs changes.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { endGroup, reportsOf, spawnTests } from "./spawn-tests.ts";

/** `[start, end]` each, by path from the root. */
export type CoveredRanges = Readonly<Record<string, readonly (readonly [number, number])[]>>;

export interface CoveredTest {
  /** From the root, with slashes. */
  readonly file: string;
  /** With the names of its suites. */
  readonly name: string;
  readonly ms: number;
  readonly covers: CoveredRanges;
}

export interface TestCoverage {
  readonly tests: readonly CoveredTest[];
  /** What loading and hooks run. */
  readonly between: readonly CoveredRanges[];
}

type Message =
  | { readonly at: "between"; readonly covers?: ReportedRanges }
  | {
      readonly at: "end";
      readonly test: string;
      readonly passed: boolean;
      readonly ms: number;
      readonly covers?: ReportedRanges;
    };

type ReportedRanges = readonly (readonly [string, CoveredRanges[string]])[];

/** What hangs longer covers nothing. */
const limitMs = 60_000;

interface FileCoverage {
  readonly hashes: Readonly<Record<string, string>>;
  readonly tests: readonly CoveredTest[];
  readonly between: readonly CoveredRanges[];
}

/**
 * The coverage of `sources` (a path prefix) by test files. Tests that fail or are skipped cover
 * nothing.
 */
export async function coverTests(
  root: string,
  files: readonly string[],
  sources: string,
  onFile: (file: string) => void = () => {},
): Promise<TestCoverage> {
  const covered: FileCoverage[] = [];
  for (const file of files) {
    const kept = readKept(root, file);
    if (kept === undefined) onFile(file);
    covered.push(kept ?? (await coverFile(root, file, sources)));
  }
  return {
    tests: covered.flatMap(({ tests }) => tests),
    between: covered.flatMap(({ between }) => between),
  };
}

async function coverFile(root: string, file: string, sources: string): Promise<FileCoverage> {
  const tests: CoveredTest[] = [];
  const between: CoveredRanges[] = [];
  const inside = (covers: ReportedRanges = []): CoveredRanges =>
    Object.fromEntries(covers.map(([url, ranges]) => [url.slice(toUrl(root, "").length), ranges]));
  for await (const message of runFile(root, file, sources)) {
    const covers = inside(message.covers);
    if (message.at === "between") between.push(covers);
    else if (message.passed) tests.push({ file, name: message.test, ms: message.ms, covers });
  }
  const paths = new Set(
    [...tests.map(({ covers }) => covers), ...between].flatMap((covers) => Object.keys(covers)),
  );
  const hashes = Object.fromEntries([file, ...paths].map((path) => [path, hashOf(root, path)!]));
  const coverage = { hashes, tests, between };
  mkdirSync(join(root, keptIn), { recursive: true });
  writeFileSync(keptAt(root, file), JSON.stringify(coverage));
  return coverage;
}

async function* runFile(root: string, file: string, sources: string): AsyncIterable<Message> {
  const plan = JSON.stringify({ file: toUrl(root, file), covers: toUrl(root, sources) });
  const child = spawnTests(root, "coverage.mjs", { MUTATE_PLAN: plan });
  const end = (): void => endGroup(child.pid);
  let timer = setTimeout(end, limitMs);
  try {
    for await (const line of reportsOf(child)) {
      clearTimeout(timer);
      timer = setTimeout(end, limitMs);
      yield JSON.parse(line);
    }
  } finally {
    clearTimeout(timer);
    end();
  }
}

function readKept(root: string, file: string): FileCoverage | undefined {
  try {
    const kept: FileCoverage = JSON.parse(readFileSync(keptAt(root, file), "utf8"));
    const same = Object.entries(kept.hashes).every(([path, hash]) => hashOf(root, path) === hash);
    return same ? kept : undefined;
  } catch {
    return undefined;
  }
}

const keptIn = "node_modules/.cache/mutate";
const keptAt = (root: string, file: string): string =>
  join(root, keptIn, `${file.replaceAll("/", "+")}.json`);

function hashOf(root: string, path: string): string | undefined {
  try {
    return createHash("sha256")
      .update(readFileSync(join(root, path)))
      .digest("hex")
      .slice(0, 16);
  } catch {
    return undefined;
  }
}

export const toUrl = (root: string, path: string): string => `file://${join(root, "/", path)}`;
