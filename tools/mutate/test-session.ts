// Runs chosen tests with a changed module, run after run in one child process, which loads only
// what imports that module anew. A process ends when a test takes much longer than it should, when
// a test failed for what an earlier run may have left, or when it has grown.
import type { ChildProcess } from "node:child_process";
import { endGroup, reportsOf, spawnTests } from "./spawn-tests.ts";
import { toUrl } from "./test-coverage.ts";

export interface SessionRun {
  /** The full names of tests by file, in the order in which to run them. */
  readonly tests: ReadonlyMap<string, readonly string[]>;
  /** The module that loads anew, with this text if given. */
  readonly changed: { readonly path: string; readonly text?: string };
  /** How long a test may take. */
  readonly limitMs: (test: string) => number;
}

export interface RunOutcome {
  readonly at: "passed" | "failed" | "timed out";
  /** The test that failed or hung; undefined when it was none, such as a module that throws. */
  readonly test: string | undefined;
  /** An error outside the test's own promise, perhaps of an earlier run. */
  readonly stray: boolean;
  /** How many runs the process had before this one. */
  readonly earlierRuns: number;
}

type Message =
  | { readonly at: "start" | "end"; readonly test: string }
  | {
      readonly at: "done";
      readonly failure?: Pick<RunOutcome, "test"> & { readonly stray?: boolean };
      readonly megabytes: number;
    };

/** Loading, and hooks of suites such as the start of a server. */
const betweenMs = 20_000;
const mostMegabytes = 700;

export interface TestSession {
  run(run: SessionRun): Promise<RunOutcome>;
  /** Ends the process; the next run starts another. */
  end(): void;
}

export function createTestSession(root: string): TestSession {
  let process: { readonly child: ChildProcess; runs: number } | undefined;

  async function run(asked: SessionRun): Promise<RunOutcome> {
    if (process?.child.exitCode !== null)
      process = { child: spawnTests(root, "session.mjs"), runs: 0 };
    const { child } = process;
    const earlierRuns = process.runs++;
    const { megabytes, ...outcome } = await runIn(child, asked, toPlan(root, asked));
    if (outcome.at === "timed out" || outcome.stray || megabytes > mostMegabytes) end();
    return { ...outcome, earlierRuns };
  }

  function end(): void {
    endGroup(process?.child.pid);
    process = undefined;
  }

  return { run, end };
}

function toPlan(root: string, { tests, changed }: SessionRun): unknown {
  return {
    tests: [...tests].map(([file, names]) => [toUrl(root, file), names]),
    changed: toUrl(root, changed.path),
    text: changed.text,
  };
}

type Ended = Omit<RunOutcome, "earlierRuns"> & { readonly megabytes: number };

function runIn(child: ChildProcess, { limitMs }: SessionRun, plan: unknown): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>();
  const lines = reportsOf(child);
  let running: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const finish = (ended: Partial<Ended> & Pick<Ended, "at">): void => {
    clearTimeout(timer);
    lines.close();
    child.off("exit", onExit);
    resolve({ test: running, stray: false, megabytes: 0, ...ended });
  };
  const limit = (ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => finish({ at: "timed out" }), ms);
  };
  limit(betweenMs);
  lines.on("line", (line) => {
    const message: Message = JSON.parse(line);
    if (message.at === "done") {
      const { failure, megabytes } = message;
      if (!failure) return finish({ at: "passed", megabytes });
      const { test, stray = false } = failure;
      return finish({ at: "failed", test, stray, megabytes });
    }
    running = message.at === "start" ? message.test : undefined;
    limit(running === undefined ? betweenMs : limitMs(running));
  });
  const onExit = (): void => finish({ at: "failed", stray: true });
  child.once("exit", onExit);
  child.stdin!.write(`${JSON.stringify(plan)}\n`);
  return promise;
}
