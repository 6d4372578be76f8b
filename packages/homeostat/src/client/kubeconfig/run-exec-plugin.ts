// Runs a credential plug-in as a child process, without a shell. What the child says on stderr
// appears once: in the error of one that fails soon, else on this process's stderr, where a person
// may have to read it for the child to go on.
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { ExecPlugin } from "./cluster-access.ts";
import type { RunPlugin } from "./exec-credential.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";

/** A plug-in that can ask nobody and says nothing for so long hangs. */
const timeoutMs = 60_000;
const maxBytes = 1 << 20;
const longestReason = 2000;
/** One that runs for longer may wait for a person who has to read what it says. */
const silentMs = 1000;

/** Runs it with KUBERNETES_EXEC_INFO and the entry's own environment. */
export const runExecPlugin: RunPlugin = (plugin, info, interactive, clock) => {
  const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env,
      stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
    });
    const [output, said] = [collect(), collect()];
    let isShown = false;
    const show = (): void => {
      if (!isShown) process.stderr.write(said.text());
      isShown = true;
    };
    const timer = clock.timer(interactive ? 0 : silentMs, show);
    // Node's own `timeout` outlives a program that was not found, and the process with it.
    const late = interactive ? undefined : clock.timer(timeoutMs, () => child.kill());
    const ended = (): void => {
      timer.cancel();
      late?.cancel();
    };
    child.stdout!.on("data", output.add);
    child.stderr!.on("data", (chunk: Buffer) => {
      said.add(chunk);
      if (isShown) process.stderr.write(chunk);
    });
    child.once("error", (error) => {
      ended();
      reject(failure(plugin, startFault(error), error));
    });
    child.once("close", (code, signal) => {
      ended();
      if (code === 0) return void (show(), resolve(output.text()));
      const how = signal ? `it ended by ${signal}` : `it exited with ${code}`;
      const why = isShown ? "" : said.text().trim().slice(-longestReason);
      reject(failure(plugin, `it failed: ${why || how}`));
    });
  });
};

/** Collects what comes, up to a limit. */
function collect(): { add(chunk: Buffer): void; text(): string } {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add(chunk) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}

const isMissing = (error: Error | undefined): boolean =>
  (error as { readonly code?: unknown } | undefined)?.code === "ENOENT";

const startFault = (error: Error): string =>
  isMissing(error) ? "the program was not found" : error.message;

function failure({ command, installHint }: ExecPlugin, why: string, cause?: Error): Error {
  return kubeconfigError(
    "ERR_KUBECONFIG_EXEC",
    `running credential plug-in ${command}: ${why}`,
    isMissing(cause)
      ? missingHint(installHint)
      : "Mend what the plug-in says, for example by a login.",
    cause,
  );
}

/** The install hint is for people: it may hold no escape sequences. */
const missingHint = (installHint: string | undefined): string =>
  installHint === undefined
    ? "Install the plug-in, or correct exec.command in the kubeconfig."
    : stripVTControlCharacters(installHint);
