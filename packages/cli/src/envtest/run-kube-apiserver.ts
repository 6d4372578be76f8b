// The program that envtest takes for kube-apiserver: flags in, a server until a signal comes or
// whoever started it is gone. It lives in memory, so that two of them share nothing, and leaves
// nothing behind.
import { startApiServer } from "@homeostat/apiserver";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import { apiServerHelp, readApiServerFlags } from "./apiserver-flags.ts";
import { parseFlags } from "./parse-flags.ts";

const parentPollMs = 500;

/** Runs with kube-apiserver's flags. Resolves to the exit code. */
export async function runKubeApiServer(argv: readonly string[]): Promise<number> {
  if (argv.includes("--help") || argv.includes("-h")) {
    process.stdout.write(apiServerHelp());
    return 0;
  }
  const { kubernetesVersion } = await import("@homeostat/apiserver");
  if (argv.includes("--version")) {
    process.stdout.write(`Kubernetes ${kubernetesVersion}\n`);
    return 0;
  }
  const { options, unheeded } = readApiServerFlags(parseFlags(argv));
  const warn = (message: string): void =>
    void process.stderr.write(`kube-apiserver (homeostat): ${message}\n`);
  if (unheeded.length)
    warn(`flags without effect here: ${unheeded.map((name) => `--${name}`).join(", ")}`);
  const stopped = untilStopped(createSystemRuntime());
  const server = await startApiServer({ ...options, warn });
  warn(`serving on ${server.url}`);
  await stopped;
  await server.close();
  return 0;
}

/**
 * Resolves on SIGTERM, SIGINT or the end of the parent; a second signal ends the process at once.
 */
function untilStopped({ clock }: Runtime): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(1);
      asked = true;
      resolve();
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, stop);
    const parent = process.ppid;
    const look = (): void => {
      if (process.ppid === parent) clock.timer(parentPollMs, look);
      else if (!asked) stop();
    };
    look();
  });
}
