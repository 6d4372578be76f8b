// Tests one mutant: runs the tests that can notice it until one does.
import { chooseTests, killKey } from "./choose-tests.ts";
import { applyChange, type Mutant } from "./find-mutants.ts";
import { runTests, type TestOutcome, type TestRun } from "./run-tests.ts";
import type { CoveredTest, TestCoverage } from "./test-coverage.ts";

export interface MutantResult {
  readonly mutant: Mutant;
  readonly outcome: "killed" | "timed out" | "survived" | "not covered";
  /** The test that noticed. */
  readonly by?: string;
  /** How many tests ran its code. */
  readonly tests: number;
}

export interface MutantTester {
  test(mutant: Mutant, text: string): Promise<MutantResult>;
  /** Tests that failed without a mutant too, and no longer count. */
  readonly unreliable: ReadonlySet<string>;
}

/**
 * @param limits.secondsPerMutant tests of a mutant that do not fit into this are left out, the
 * farthest first
 */
export function createMutantTester(
  root: string,
  coverage: TestCoverage,
  limits: { readonly secondsPerMutant: number },
): MutantTester {
  const kills = new Map<string, number>();
  const trusted = new Set<string>();
  const unreliable = new Set<string>();
  const idOf = ({ file, name }: CoveredTest): string => `${file}: ${name}`;

  async function test(mutant: Mutant, text: string): Promise<MutantResult> {
    const covering = chooseTests(mutant, coverage, kills).filter(
      (each) => !unreliable.has(idOf(each)),
    );
    const tests = withinLimit(covering, limits.secondsPerMutant);
    if (tests.length === 0) return { mutant, outcome: "not covered", tests: 0 };
    const run = toRun(tests);
    const replace = { path: mutant.path, text: applyChange(text, mutant) };
    const outcome = await runTests(root, { ...run, replace });
    if (outcome.at === "passed") return { mutant, outcome: "survived", tests: tests.length };
    const by = tests.find(({ name }) => name === outcome.test);
    if (by && !(await isTrusted(by, run))) return await test(mutant, text);
    if (by) kills.set(killKey(mutant.path, by), (kills.get(killKey(mutant.path, by)) ?? 0) + 1);
    return {
      mutant,
      outcome: outcome.at === "failed" ? "killed" : "timed out",
      tests: tests.length,
      ...(by ? { by: idOf(by) } : {}),
    };
  }

  /** A test counts once it has passed in the same company without a mutant. */
  async function isTrusted(by: CoveredTest, run: TestRun): Promise<boolean> {
    if (trusted.has(idOf(by))) return true;
    const outcome: TestOutcome = await runTests(root, untilTest(run, by));
    const passes = outcome.at === "passed";
    (passes ? trusted : unreliable).add(idOf(by));
    return passes;
  }

  return { test, unreliable };
}

function toRun(tests: readonly CoveredTest[]): TestRun {
  const expected = new Map(tests.map(({ name, ms }) => [name, ms]));
  return {
    files: [...new Set(tests.map(({ file }) => file))],
    names: [...expected.keys()],
    limitMs: (name) => 3 * (expected.get(name) ?? 0) + 4000,
  };
}

/** The same run without the files behind that of the test. */
function untilTest(run: TestRun, { file }: CoveredTest): TestRun {
  return { ...run, files: run.files.slice(0, run.files.indexOf(file) + 1) };
}

/** The tests that fit, nearest first as they are given, at least one. */
function withinLimit(tests: readonly CoveredTest[], seconds: number): readonly CoveredTest[] {
  let leftMs = seconds * 1000;
  const chosen = new Set<CoveredTest>();
  for (const test of tests) {
    if (test.ms > leftMs && chosen.size > 0) continue;
    leftMs -= test.ms;
    chosen.add(test);
  }
  return tests.filter((test) => chosen.has(test));
}
