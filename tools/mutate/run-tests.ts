// Runs chosen tests in one child process, until the first failure if asked, and ends the process
// when a test takes much longer than it should.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

export type RunMessage =
  | { readonly at: "between"; readonly covers?: readonly (readonly [string, any])[] }
  | { readonly at: "start"; readonly test: string }
  | {
      readonly at: "end";
      readonly test: string;
      readonly passed: boolean;
      readonly ms: number;
      readonly covers?: readonly (readonly [string, any])[];
    };

export interface TestRun {
  readonly files: readonly string[];
  /** Full names; all tests of the files by default. */
  readonly names?: readonly string[];
  /** Replaces the text of one module. */
  readonly replace?: { readonly path: string; readonly text: string };
  /** Counts what runs in files whose path starts with this. */
  readonly covers?: string;
  /** How long a test may take; a minute by default. */
  readonly limitMs?: (test: string) => number;
  readonly onMessage?: (message: RunMessage) => void;
}

export interface TestOutcome {
  readonly at: "passed" | "failed" | "timed out";
  /** The test that failed or hung; undefined when it was none, such as a module that throws. */
  readonly test: string | undefined;
}

/** Loading, and hooks of suites such as the start of a server. */
const betweenMs = 20_000;
const entry = fileURLToPath(new URL("child/entry.mjs", import.meta.url));

export async function runTests(root: string, run: TestRun): Promise<TestOutcome> {
  const folder = mkdtempSync(join(tmpdir(), "mutate-"));
  const plan = join(folder, "plan.json");
  writeFileSync(plan, JSON.stringify(toPlan(root, run)));
  try {
    return await runChild(root, run, plan);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toPlan(root: string, { files, covers, replace, names }: TestRun): unknown {
  const toUrl = (path: string): string => `file://${join(root, path)}`;
  return {
    files: files.map(toUrl),
    endsEarly: names !== undefined,
    ...(covers === undefined ? {} : { covers: toUrl(covers) }),
    ...(replace ? { replace: { url: toUrl(replace.path), text: replace.text } } : {}),
  };
}

function runChild(root: string, run: TestRun, plan: string): Promise<TestOutcome> {
  const patterns = (run.names ?? []).map((name) => `--test-name-pattern=/^${escaped(name)}$/`);
  const child = spawn(
    process.execPath,
    ["--conditions=homeostat-source", "--test-reporter=dot", ...patterns, entry],
    {
      cwd: root,
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        NODE_TEST_CONTEXT: undefined,
        MUTATE_PLAN: plan,
        NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
      },
    },
  );
  return new Promise((resolve) => {
    let running: string | undefined;
    let failed: string | undefined;
    let timedOut = false;
    let timer: NodeJS.Timeout | undefined;
    const limit = (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        timedOut = true;
        endGroup(child.pid);
      }, ms);
    };
    limit(betweenMs);
    createInterface(child.stdio[3] as Readable).on("line", (line) => {
      const message: RunMessage = JSON.parse(line);
      if (message.at === "start") running = message.test;
      if (message.at === "end") {
        running = undefined;
        if (!message.passed) failed ??= message.test;
      }
      limit(running === undefined ? betweenMs : (run.limitMs?.(running) ?? 60_000));
      run.onMessage?.(message);
    });
    child.on("close", (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      if (timedOut) resolve({ at: "timed out", test: running });
      else resolve({ at: code === 0 ? "passed" : "failed", test: failed });
    });
  });
}

/** What the tests started ends with them. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
