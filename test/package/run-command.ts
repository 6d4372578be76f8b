// Runs commands as a user does, on packages that are installed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { delimiter, dirname } from "node:path";

/** What `npm pack` says of a tarball. */
export interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

export interface Ran {
  readonly status: number | null;
  readonly output: string;
}

/**
 * This Node first, without the workspace's own settings, so that nothing but what is installed can
 * be found.
 */
export function userEnvironment(): Readonly<Record<string, string | undefined>> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_OPTIONS$|NODE_PATH$|NODE_TEST_CONTEXT$|INIT_CWD$)/i.test(name),
    ),
  );
  return { ...env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };
}

export function run(cwd: string, command: string, ...args: readonly string[]): Ran {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    env: userEnvironment(),
    timeout: 90_000,
    shell: process.platform === "win32",
  });
  return { status, output: `${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}` };
}

/** The output of what has to succeed. */
export function must(ran: Ran): string {
  assert.equal(ran.status, 0, ran.output);
  return ran.output;
}

/** Undefined when all is installed, else why it could not be. */
export function installInto(folder: string, packages: readonly string[]): string | undefined {
  const ran = run(
    folder,
    "npm",
    "install",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefer-offline",
    "--fetch-retries=1",
    ...packages,
  );
  if (ran.status === 0) return undefined;
  if (/ENOTCACHED|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|ENETUNREACH/.test(ran.output))
    return "the dependencies are neither in npm's cache nor can a registry be reached";
  assert.fail(ran.output);
}

/** npm 11 prints a list, npm 12 an object by name. */
export const listOf = (
  printed: readonly Packed[] | Readonly<Record<string, Packed>>,
): readonly Packed[] =>
  Array.isArray(printed) ? (printed as readonly Packed[]) : Object.values(printed);
