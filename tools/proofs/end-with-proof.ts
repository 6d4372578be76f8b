// What a proof has started ends with it, also when a signal ends the proof: Node runs no "exit"
// handlers then, unless somebody handles the signal.
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import {
  readState,
  type Reference,
  type ReferenceOptions,
  startReference,
} from "../reference/start-reference.ts";

/**
 * Calls `end`, which must not wait for anything, when this process ends. Returns what takes that
 * back.
 */
export function endWithProof(end: () => void): () => void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    if (!process.listeners(signal).includes(leave)) process.on(signal, leave);
  process.once("exit", end);
  return () => void process.off("exit", end);
}

const leave = (signal: NodeJS.Signals): never => process.exit(128 + constants.signals[signal]);

/** A folder for temporary files, which goes with the proof. */
export function openFolder(name: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), `homeostat-${name}-`));
  const remove = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  const forget = endWithProof(remove);
  return {
    path,
    remove() {
      forget();
      remove();
    },
  };
}

/** A control plane that goes with the proof, also while it starts. */
export async function openReference(
  options: Omit<ReferenceOptions, "kubeconfigPath"> = {},
): Promise<Reference> {
  const folder = openFolder("proof");
  const kubeconfigPath = join(folder.path, "kubeconfig");
  const forget = endWithProof(() => killReference(kubeconfigPath));
  try {
    const reference = await startReference({ ...options, kubeconfigPath });
    const stop = async (): Promise<void> => {
      await reference.stop();
      forget();
      folder.remove();
    };
    return { ...reference, stop };
  } catch (error) {
    forget();
    folder.remove();
    throw error;
  }
}

function killReference(kubeconfigPath: string): void {
  const state = readState(kubeconfigPath);
  if (!state) return;
  for (const pid of state.pids)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  rmSync(state.folder, { recursive: true, force: true, maxRetries: 10 });
}
