// Tests one mutant: runs the tests that can notice it until one does.
import { chooseTests, killKey } from "./choose-tests.ts";
import { applyChange, type Mutant } from "./find-mutants.ts";
import type { CoveredTest, TestCoverage } from "./test-coverage.ts";
import { createTestSession, type RunOutcome, type SessionRun } from "./test-session.ts";

export interface MutantResult {
  readonly mutant: Mutant;
  readonly outcome: "killed" | "timed out" | "survived" | "not covered" | "refused";
  /** The test that noticed. */
  readonly by?: string;
  /** How many tests ran its code. */
  readonly tests: number;
}

export interface MutantTester {
  test(mutant: Mutant, text: string): Promise<MutantResult>;
  /** Tests that failed without a mutant too, and no longer count. */
  readonly unreliable: ReadonlySet<string>;
  end(): void;
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
  const session = createTestSession(root);
  const withoutMutants = createTestSession(root);
  const kills = new Map<string, number>();
  const trusted = new Set<string>();
  const unreliable = new Set<string>();
  /** Tests that leave something in the process when they fail. */
  const untidy = new Set<string>();

  async function test(mutant: Mutant, text: string): Promise<MutantResult> {
    const covering = chooseTests(mutant, coverage, kills).filter(
      (each) => !unreliable.has(idOf(each)),
    );
    const tests = withinLimit(covering, limits.secondsPerMutant);
    if (tests.length === 0) return { mutant, outcome: "not covered", tests: 0 };
    const run = toRun(tests, mutant.path);
    const outcome = await runMutant(run, applyChange(text, mutant));
    if (outcome.at === "passed") return { mutant, outcome: "survived", tests: tests.length };
    const by = tests.find(({ name }) => name === outcome.test);
    if (by && !(await isTrusted(by, mutant.path))) return await test(mutant, text);
    if (by) kills.set(killKey(mutant.path, by), (kills.get(killKey(mutant.path, by)) ?? 0) + 1);
    if (by && outcome.at === "failed") await endWhenUntidy(by, mutant.path);
    return {
      mutant,
      outcome: outcome.at === "failed" ? "killed" : "timed out",
      tests: tests.length,
      ...(by ? { by: idOf(by) } : {}),
    };
  }

  /** What an earlier run may have caused is seen again in a process of its own. */
  async function runMutant(run: SessionRun, text: string): Promise<RunOutcome> {
    const changed = { ...run.changed, text };
    const outcome = await session.run({ ...run, changed });
    const inDoubt = outcome.stray || outcome.at === "timed out";
    if (!inDoubt || outcome.earlierRuns === 0) return outcome;
    session.end();
    return await session.run({ ...run, changed });
  }

  /** A test counts once it has passed without a mutant. */
  async function isTrusted(by: CoveredTest, path: string): Promise<boolean> {
    const id = idOf(by);
    if (trusted.has(id)) return true;
    const passes = (await withoutMutants.run(toRun([by], path))).at === "passed";
    (passes ? trusted : unreliable).add(id);
    return passes;
  }

  /** A process goes on after a test that failed if the test passes there without the mutant. */
  async function endWhenUntidy(by: CoveredTest, path: string): Promise<void> {
    const id = idOf(by);
    if (!untidy.has(id)) {
      if ((await session.run(toRun([by], path))).at === "passed") return;
      untidy.add(id);
    }
    session.end();
  }

  return {
    test,
    unreliable,
    end: () => {
      session.end();
      withoutMutants.end();
    },
  };
}

const idOf = ({ file, name }: CoveredTest): string => `${file}: ${name}`;

function toRun(tests: readonly CoveredTest[], path: string): SessionRun {
  const expected = new Map(tests.map(({ name, ms }) => [name, ms]));
  return {
    tests: new Map(
      [...Map.groupBy(tests, ({ file }) => file)].map(([file, some]) => [
        file,
        some.map(({ name }) => name),
      ]),
    ),
    changed: { path },
    limitMs: (name) => 3 * (expected.get(name) ?? 0) + 2000,
  };
}

/** Tests far from the code start a server, once for each file. */
const startMs = ({ file }: CoveredTest): number => (file.startsWith("packages/") ? 0 : 500);

/** The tests that fit, nearest first as they are given, at least one. */
function withinLimit(tests: readonly CoveredTest[], seconds: number): readonly CoveredTest[] {
  let leftMs = seconds * 1000;
  const chosen = new Set<CoveredTest>();
  const files = new Set<string>();
  for (const test of tests) {
    const ms = test.ms + (files.has(test.file) ? 0 : startMs(test));
    if (ms > leftMs && chosen.size > 0) continue;
    leftMs -= ms;
    chosen.add(test);
    files.add(test.file);
  }
  return tests.filter((test) => chosen.has(test));
}
