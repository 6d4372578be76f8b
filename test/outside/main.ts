// npm run test:outside -- NAME…: sessions with external clients, each on a separate embedded
// server. Dependencies come from the public registries into .cache and are not committed; `npm
// test` does not need them.
//   --on FILE       use the server of this kubeconfig instead
//   --compare FILE  also run on that server, and report differences
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { hasPodNetwork, isInPodNetwork, runInPodNetwork } from "./pod-network.ts";
import type { CaseResult, RunOptions, Suite, Surroundings } from "./suite.ts";
import { cacheOf, suites } from "./suites.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { on: { type: "string" }, compare: { type: "string" } },
});
const unknown = positionals.filter((name) => !(name in suites));
if (positionals.length === 0 || unknown.length > 0) {
  console.error(
    `${unknown.length > 0 ? `there is no ${unknown.join(", ")}; ` : ""}usage: npm run test:outside -- ${Object.keys(suites).join("|")}… [--on KUBECONFIG] [--compare KUBECONFIG]`,
  );
  process.exitCode = 2;
} else {
  for (const name of positionals) if (!(await runSuite(name, suites[name]!))) process.exitCode = 1;
}

async function runSuite(name: string, suite: Suite): Promise<boolean> {
  console.log(`${name}: ${suite.client}`);
  const cache = cacheOf(join(here, ".cache"), name);
  if (!isInPodNetwork) await suite.prepare(surroundings(cache, ""));
  if (suite.inPodNetwork && !isInPodNetwork && values.on === undefined && hasPodNetwork())
    return await runInPodNetwork([join(here, "../../tools/run.mjs"), join(here, "main.ts"), name]);
  const results = await withServer(suite.serverFlags ?? [], (kubeconfig) =>
    suite.run(surroundings(cache, kubeconfig)),
  );
  for (const { ok, name: what, seen } of results)
    console.log(`  ${ok ? "ok" : "FAILED"}  ${what}: ${seen}`);
  const failed = results.filter(({ ok }) => !ok).length;
  console.log(`${name}: ${results.length - failed} of ${results.length} passed`);
  const same =
    values.compare === undefined ||
    differences(results, await suite.run(surroundings(cache, values.compare)));
  return results.length > 0 && failed === 0 && same;
}

/** Prints what the two servers did not agree on. */
function differences(ours: readonly CaseResult[], theirs: readonly CaseResult[]): boolean {
  const other = new Map(theirs.map((each) => [each.name, each]));
  const different = ours.filter(
    ({ name, ok, seen }) => other.get(name)?.ok !== ok || other.get(name)?.seen !== seen,
  );
  for (const { name, seen } of different)
    console.log(
      `  differs: ${name}\n    here:  ${seen}\n    there: ${other.get(name)?.seen ?? "nothing"}`,
    );
  console.log(`  compared: ${ours.length - different.length} of ${ours.length} the same`);
  return different.length === 0;
}

async function withServer<T>(
  flags: readonly string[],
  use: (kubeconfig: string) => Promise<T>,
): Promise<T> {
  if (values.on !== undefined) return await use(values.on);
  const folder = mkdtempSync(join(tmpdir(), "homeostat-outside-"));
  const path = join(folder, "kubeconfig");
  const server = spawn(
    process.execPath,
    [join(here, "../../packages/cli/bin/homeostat.js"), "server", "--kubeconfig", path, ...flags],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, NODE_OPTIONS: "" },
    },
  );
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  try {
    await Promise.race([new Promise((resolve) => server.stdout.once("data", resolve)), ended]);
    return await use(path);
  } finally {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

function surroundings(cache: string, kubeconfig: string): Surroundings {
  const start = (command: readonly string[], options: RunOptions = {}) =>
    finished(command, { ...options, env: { KUBECONFIG: kubeconfig, ...options.env } });
  return {
    cache,
    here,
    kubeconfig,
    session: async (command, options) => (await start(command, options)).output,
    run: async (command, options) => {
      const { code, output, errors } = await start(command, options);
      if (code !== 0)
        throw new Error(`${command.join(" ")} ended with ${code}:\n${errors.slice(-4000)}`);
      return output;
    },
  };
}

interface Finished {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs a program; its errors are shown when OUTSIDE_VERBOSE is set. */
function finished(
  [command, ...args]: readonly string[],
  { cwd, env, limitMs = 300_000 }: RunOptions,
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command!, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: limitMs,
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (chunk: Buffer) => (output += String(chunk)));
    child.stderr.on("data", (chunk: Buffer) => {
      errors += String(chunk);
      if (process.env["OUTSIDE_VERBOSE"]) process.stderr.write(chunk);
    });
    child.on("error", (cause) =>
      reject(new Error(`run ${command}: ${cause.message}; is it installed?`, { cause })),
    );
    child.on("close", (code) => resolve({ code, output, errors }));
  });
}
