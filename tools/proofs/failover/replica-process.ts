// A replica as a child process, and what it says.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ElectionTimings } from "../../../packages/homeostat/src/election/election-timings.ts";
import { endWithProof } from "../end-with-proof.ts";

const program = fileURLToPath(new URL("replica.ts", import.meta.url));

/** One process. */
export class Replica {
  readonly identity: string;
  readonly lines: string[] = [];
  readonly gone: Promise<unknown>;
  /** When it began its reconciles, in ms of the wall clock. */
  readonly reconciles: number[] = [];
  /** Reconciles of which a write was refused by the fence. */
  fenced = 0;
  isGone = false;
  readonly #child: ChildProcess;

  constructor(identity: string, kubeconfig: string, timings: ElectionTimings) {
    this.identity = identity;
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
    const numbers = [leaseDurationMs, renewDeadlineMs, retryPeriodMs].map(String);
    const args = ["--conditions=homeostat-source", program, kubeconfig, identity, ...numbers];
    this.#child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#read(line));
    const forget = endWithProof(() => void this.#child.kill("SIGKILL"));
    this.gone = once(this.#child, "close").then(() => {
      this.isGone = true;
      forget();
    });
  }

  signal(name: "SIGKILL" | "SIGTERM" | "SIGSTOP" | "SIGCONT"): void {
    this.#child.kill(name);
  }

  /** When it said a line that begins with `text`, last. */
  said(text: string): number | undefined {
    const line = this.lines.findLast((one) => one.split(" ").slice(1).join(" ").startsWith(text));
    return line === undefined ? undefined : Number(line.split(" ", 1)[0]);
  }

  #read(line: string): void {
    const [what, at, ...text] = line.split(" ");
    if (what === "log") this.lines.push(`${at} ${text.join(" ")}`);
    if (what === "fenced") this.fenced++;
    if (what === "reconcile") this.reconciles.push(Number(at));
  }
}
