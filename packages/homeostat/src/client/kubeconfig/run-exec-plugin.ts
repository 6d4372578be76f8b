// Runs a credential plug-in as a child process, without a shell. The child's stderr goes to this
// process's stderr, and the end of it into the error.
import { spawn } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import type { ExecPlugin } from "./cluster-access.ts";
import type { RunPlugin } from "./exec-credential.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";

/** A plug-in that can ask nobody and says nothing for so long hangs. */
const timeoutMs = 60_000;
const maxBytes = 1 << 20;

/** Runs it with KUBERNETES_EXEC_INFO and the entry's own environment. */
export const runExecPlugin: RunPlugin = (plugin, info, interactive) => {
  const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const child = spawn(plugin.command, [...plugin.args], {
      env,
      stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
      ...(interactive ? {} : { timeout: timeoutMs }),
    });
    const [output, said] = [collect(), collect()];
    child.stdout!.on("data", output.add);
    child.stderr!.on("data", (chunk: Buffer) => {
      said.add(chunk);
      process.stderr.write(chunk);
    });
    child.once("error", (error) => reject(failure(plugin, startFault(error), error)));
    child.once("close", (code, signal) => {
      if (code === 0) return resolve(output.text());
      const how = signal ? `it ended by ${signal}` : `it exited with ${code}`;
      const why = said.text().trim().slice(-400);
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

const startFault = (error: Error): string =>
  (error as { code?: unknown }).code === "ENOENT" ? "the program was not found" : error.message;

/** The install hint is for people: it may hold no escape sequences. */
function failure(plugin: ExecPlugin, why: string, cause?: Error): Error {
  const { command, installHint } = plugin;
  return kubeconfigError(
    "ERR_KUBECONFIG_EXEC",
    `running credential plug-in ${command}: ${why}`,
    installHint === undefined
      ? "Install the plug-in, or correct exec.command in the kubeconfig."
      : stripVTControlCharacters(installHint),
    cause,
  );
}
