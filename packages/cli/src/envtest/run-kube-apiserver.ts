// The program that envtest runs as kube-apiserver: parses its flags and serves until SIGTERM,
// SIGINT or the end of the parent process. Objects are in memory, so servers share nothing and
// leave no files.
import { startApiServer } from "@homeostat/apiserver";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";
import { type OptionFlags, withFlagErrors } from "../option-flags.ts";
import { apiServerHelp, readApiServerFlags } from "./apiserver-flags.ts";
import { untilSignal } from "../until-signal.ts";
import { parseFlags } from "./parse-flags.ts";

const parentPollMs = 500;
const optionFlags: OptionFlags = {
  host: "--bind-address",
  clientCa: "--client-ca-file",
  "servingCertificate.cert": "--tls-cert-file",
  "servingCertificate.key": "--tls-private-key-file",
  "serviceAccountTokens.issuer": "--service-account-issuer",
  "serviceAccountTokens.privateKey": "--service-account-signing-key-file",
};

/** Runs a server with kube-apiserver's flags. Resolves to the exit code. */
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
  const { options, ignored } = readApiServerFlags(parseFlags(argv));
  const warn = (message: string): void =>
    void process.stderr.write(`kube-apiserver (homeostat): ${message}\n`);
  if (ignored.length)
    warn(`flags without effect: ${ignored.map((name) => `--${name}`).join(", ")}`);
  const stopped = untilSignal(untilParentEnds(createSystemRuntime()));
  const server = await withFlagErrors(() => startApiServer({ ...options, warn }), optionFlags);
  warn(`serving on ${server.url}`);
  const { trimHeapWhenIdle } = await import("../trim-heap.ts");
  const endTrimming = trimHeapWhenIdle();
  await stopped;
  endTrimming();
  await server.close();
  return 0;
}

/** Resolves when the parent process ends. */
function untilParentEnds({ clock }: Runtime): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    const poll = (): void => {
      if (process.ppid === parent) clock.timer(parentPollMs, poll);
      else resolve();
    };
    poll();
  });
}
