// A candidate as a process, in Go or of ours, and what it says.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ElectionTimings } from "../../../packages/homeostat/src/election/election-timings.ts";

const ours = fileURLToPath(new URL("our-candidate.ts", import.meta.url));

export type Program = "client-go" | "controller-runtime" | "ours";

export interface CandidateOptions {
  readonly program: Program;
  /** The built program of the candidates in Go. */
  readonly goProgram: string;
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly identity: string;
  readonly timings: ElectionTimings;
}

/** One process. */
export class Candidate {
  readonly identity: string;
  readonly lines: string[] = [];
  readonly gone: Promise<unknown>;
  readonly #child: ChildProcess;

  constructor({ program, goProgram, kubeconfig, timings, ...who }: CandidateOptions) {
    this.identity = who.identity;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
    const unit = program === "ours" ? "" : "ms";
    const args = [
      who.namespace,
      who.identity,
      ...[leaseDurationMs, renewDeadlineMs, retryPeriodMs].map((ms) => `${ms}${unit}`),
    ];
    const [command, ...first] =
      program === "ours"
        ? [process.execPath, "--conditions=homeostat-source", ours]
        : [goProgram, program];
    this.#child = spawn(command!, [...first, ...args], {
      stdio: ["ignore", "pipe", process.env["OUTSIDE_VERBOSE"] ? "inherit" : "ignore"],
      env: { ...process.env, KUBECONFIG: kubeconfig, NODE_OPTIONS: "" },
    });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.lines.push(line));
    process.once("exit", this.#end);
    this.gone = once(this.#child, "close").then(() => process.off("exit", this.#end));
  }

  readonly #end = (): void => void this.#child.kill("SIGKILL");

  signal(name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  /** The last line that begins with `text`. */
  said(text: string): string | undefined {
    return this.lines.findLast((line) => line.startsWith(text));
  }
}
