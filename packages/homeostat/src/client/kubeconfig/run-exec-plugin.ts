// Runs a credential plug-in as a child process, without a shell. The child's stderr goes to this
// process's stderr.
import { execFile } from "node:child_process";
import type { RunPlugin } from "./exec-credential.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";

const timeoutMs = 60_000;
const maxBytes = 1 << 20;

/** Runs it with KUBERNETES_EXEC_INFO and the entry's own environment. */
export const runExecPlugin: RunPlugin = (plugin, info) => {
  if (plugin.interactiveMode === "Always") {
    return Promise.reject(
      kubeconfigError(
        "ERR_KUBECONFIG_UNSUPPORTED",
        `running credential plug-in ${plugin.command}: interactiveMode Always needs a person at the terminal`,
        "Log in beforehand, or use a plug-in that can do without.",
      ),
    );
  }
  const env = { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info };
  return new Promise((resolve, reject) => {
    const child = execFile(
      plugin.command,
      [...plugin.args],
      { env, timeout: timeoutMs, maxBuffer: maxBytes },
      (error, stdout, stderr) => {
        if (!error) return resolve(stdout);
        const missing = (error as { code?: unknown }).code === "ENOENT";
        const why = missing
          ? "the program was not found"
          : `it failed: ${stderr.trim().slice(0, 400) || error.message}`;
        reject(
          kubeconfigError(
            "ERR_KUBECONFIG_EXEC",
            `running credential plug-in ${plugin.command}: ${why}`,
            plugin.installHint ?? "Install the plug-in, or correct exec.command in the kubeconfig.",
            error,
          ),
        );
      },
    );
    child.stdin?.end();
  });
};
