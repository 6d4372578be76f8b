// Starts a process for tests, which reports on descriptor 3 and ends with all that it started.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** @param entry a file of `child/` */
export function spawnTests(
  root: string,
  entry: string,
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  const child = spawn(
    process.execPath,
    [
      "--conditions=homeostat-source",
      "--disable-warning=ExperimentalWarning",
      "--test-reporter=dot",
      fileURLToPath(new URL(`child/${entry}`, import.meta.url)),
    ],
    {
      cwd: root,
      detached: true,
      stdio: ["pipe", "ignore", "ignore", "pipe"],
      env: {
        ...process.env,
        NODE_OPTIONS: "",
        NODE_TEST_CONTEXT: undefined,
        NODE_COMPILE_CACHE: join(root, "node_modules/.cache/compile"),
        ...env,
      },
    },
  );
  // A process that ends while it is written to is seen by its exit.
  child.stdin!.on("error", () => {});
  return child;
}

/** The lines that the process reports. */
export const reportsOf = (child: ChildProcess): Interface =>
  createInterface(child.stdio[3] as Readable);

export function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}
