// Runs kubectl scripts against a server, each with its own kubeconfig. The script sets the default
// namespace.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  headOf,
  normalise,
  parseTranscript,
  runCommand,
  type TemplateHashes,
  type TranscriptStep,
} from "./transcript.ts";

const testdata = join(import.meta.dirname, "testdata");

/** Every transcript, by name. */
export function transcriptNames(): readonly string[] {
  return readdirSync(testdata)
    .filter((file) => file.endsWith(".txt"))
    .map((file) => file.slice(0, -4));
}

/** Where a transcript lives. */
export const transcriptPath = (name: string): string => join(testdata, `${name}.txt`);

/**
 * Whether a transcript needs the controllers of the control plane: its head then says `Controllers:
 * all`.
 */
export const controllersOf = (name: string): "all" | "none" =>
  /^# Controllers: all$/m.test(headOf(transcriptPath(name))) ? "all" : "none";

/**
 * Why kubectl cannot be used; undefined when it can. Its words change between minors, so the one
 * recorded with is asked for.
 */
export function kubectlMissing(): string | undefined {
  try {
    const { clientVersion } = JSON.parse(
      execFileSync("kubectl", ["version", "--client", "-o", "json"], {
        encoding: "utf8",
        stdio: ["ignore", "pipe", "ignore"],
      }),
    ) as {
      clientVersion: { minor: string };
    };
    return clientVersion.minor.startsWith("32")
      ? undefined
      : `kubectl 1.32 recorded the transcripts, here is 1.${clientVersion.minor}`;
  } catch {
    return "kubectl is not installed";
  }
}

/** Runs a script and resolves to its commands with what they printed, normalised. */
export async function runTranscript(
  name: string,
  kubeconfig: string,
): Promise<readonly TranscriptStep[]> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-kubectl-"));
  const own = join(folder, "kubeconfig");
  copyFileSync(kubeconfig, own);
  const env = {
    ...process.env,
    KUBECONFIG: own,
    KUBECACHEDIR: join(folder, "cache"),
    TZ: "UTC",
    KUBECTL_EXTERNAL_DIFF: "diff -U1 --label=live --label=merged",
    LC_ALL: "C",
  };
  const steps: TranscriptStep[] = [];
  try {
    let hashes: TemplateHashes = "repeatable";
    for (const { command } of parseTranscript(readFileSync(transcriptPath(name), "utf8"))) {
      const output = await runCommand(command, { cwd: join(testdata, "files"), env });
      if (command.startsWith("kubectl rollout restart") && output.endsWith(" restarted\n"))
        hashes = "timed";
      steps.push({ command, output: normalise(output, hashes) });
    }
    return steps;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
