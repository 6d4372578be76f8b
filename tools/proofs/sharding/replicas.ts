// The processes of the proof, and what they say of their runs.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { endWithProof } from "../end-with-proof.ts";

const program = fileURLToPath(new URL("replica.ts", import.meta.url));

/** A run of the user's code, in nanoseconds of the machine's monotonic clock. */
export interface Run {
  readonly by: string;
  readonly name: string;
  readonly from: bigint;
  /** Undefined while it goes on, or when its process was killed. */
  to?: bigint;
  /** It was over when its process was stopped or killed: what came after wrote nothing. */
  cut?: bigint;
  hasFailed?: boolean;
}

/** One process. */
export class Replica {
  readonly identity: string;
  readonly lines: string[] = [];
  readonly gone: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #open = new Map<string, Run>();
  readonly #runs: Run[];
  readonly #leaseMs: number;
  #stoppedAt = 0n;
  #isCut = false;
  isGone = false;
  isStopped = false;
  /** Its end is no news. */
  isExpected = false;

  /** `runs` receives what it reconciles. */
  constructor(identity: string, where: { kubeconfig: string; leaseMs: number }, runs: Run[]) {
    this.identity = identity;
    this.#runs = runs;
    this.#leaseMs = where.leaseMs;
    const args = [program, where.kubeconfig, identity, String(where.leaseMs)];
    this.#child = spawn(process.execPath, ["--conditions=homeostat-source", ...args], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    createInterface({ input: this.#child.stdout! }).on("line", (line) => this.#read(line));
    const forget = endWithProof(() => void this.#child.kill("SIGKILL"));
    this.gone = once(this.#child, "close").then(() => {
      this.isGone = true;
      // One that has lost its membership ends in the middle of its runs.
      this.#cutOpen(process.hrtime.bigint());
      forget();
    });
  }

  kill(): void {
    this.#cut();
    this.#child.kill("SIGKILL");
  }

  stop(): void {
    this.isStopped = true;
    this.#child.kill("SIGSTOP");
    this.#cut();
  }

  /** After a short stop nothing of it has been taken: its runs go on. */
  continue(): void {
    this.isStopped = false;
    this.#isCut = false;
    const stoppedMs = Number(process.hrtime.bigint() - this.#stoppedAt) / 1e6;
    if (stoppedMs < this.#leaseMs * 0.6) for (const run of this.#open.values()) delete run.cut;
    this.#child.kill("SIGCONT");
  }

  leave(): void {
    this.#child.kill("SIGTERM");
  }

  #cut(): void {
    const cut = process.hrtime.bigint();
    this.#stoppedAt = cut;
    this.#isCut = true;
    this.#cutOpen(cut);
  }

  #cutOpen(cut: bigint): void {
    for (const run of this.#open.values()) run.cut ??= cut;
  }

  #read(line: string): void {
    const [what, at, name = "", run = ""] = line.split(" ");
    if (what === "log") return void this.lines.push(line.split(" ").slice(2).join(" "));
    const id = `${name} ${run}`;
    if (what === "begin") {
      const from = BigInt(at!);
      // Said before the process was stopped or killed, and read afterwards.
      const cut = this.#isCut && from <= this.#stoppedAt ? { cut: this.#stoppedAt } : {};
      const began: Run = { by: this.identity, name, from, ...cut };
      this.#open.set(id, began);
      this.#runs.push(began);
      return;
    }
    const open = this.#open.get(id)!;
    open.to = BigInt(at!);
    open.hasFailed = what === "failed";
    this.#open.delete(id);
  }
}
