// Operators under test, each a program in a process of its own, on the same server with the same
// objects.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Place } from "../places/place.ts";
import { published } from "../places/published-command.ts";

/** What an operator does. */
export interface OperatorWork {
  readonly namespace: string;
  /** 0 only watches. */
  readonly workers: number;
  /** The objects whose status it writes. */
  readonly count: number;
}

/** A framework to write operators with. */
export interface OperatorPeer {
  readonly name: string;
  /** Why it cannot run here; undefined when it can. */
  absent(): string | undefined;
  start(place: Place, work: OperatorWork): RunningOperator;
}

/** A started operator. */
export interface RunningOperator {
  readonly pid: number;
  /** Resolves to milliseconds since the start of the process. */
  said(what: "synced" | "first" | "done"): Promise<number>;
  /** Bytes of its heap once garbage is collected. */
  heapBytes(): Promise<number>;
  stop(): Promise<void>;
}

const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

const built = file("../../packages/homeostat/dist/index.js");

/**
 * Our runtime as it is published, started as the guide says. Node keeps what it has compiled in
 * memory and on disk.
 */
export const homeostatOperator: OperatorPeer = {
  name: "homeostat",
  absent: () => (existsSync(built) ? undefined : "not built; npm run build"),
  start: (place, work) =>
    run(
      process.execPath,
      ["--max-semi-space-size=2", "--expose-gc", file("homeostat.ts"), ...argumentsOf(place, work)],
      published,
    ),
};

const clientNodeFolder = file("client-node/node_modules/@kubernetes/client-node");

/** An informer and API classes; it has no queue, so its program has one. */
export const clientNode: OperatorPeer = {
  name: "client-node",
  absent: () =>
    existsSync(clientNodeFolder)
      ? undefined
      : "not installed; npm install --ignore-scripts --no-package-lock --workspaces=false in bench/peers/client-node",
  start: (place, work) =>
    run(
      process.execPath,
      ["--expose-gc", file("client-node/operator.mjs"), ...argumentsOf(place, work)],
      published,
    ),
};

const compiled = file("controller-runtime/.cache/operator");

/** Typed objects and `Status().Update`, as kubebuilder's scaffold has it; no client rate limit. */
export const controllerRuntime: OperatorPeer = {
  name: "controller-runtime",
  absent: () =>
    existsSync(compiled)
      ? undefined
      : "not built; go build -trimpath -o .cache/operator in bench/peers/controller-runtime",
  start: (place, work) => run(compiled, argumentsOf(place, work)),
};

const kubeRsProgram = file("kube-rs/.cache/release/operator");

/** `Controller` on a derived kind and a status apply, as kube's examples have it. */
export const kubeRs: OperatorPeer = {
  name: "kube-rs",
  absent: () =>
    existsSync(kubeRsProgram)
      ? undefined
      : "not built; cargo build --release --locked --target-dir .cache in bench/peers/kube-rs",
  start: (place, work) => run(kubeRsProgram, argumentsOf(place, work)),
};

function argumentsOf({ kubeconfigPath }: Place, work: OperatorWork): readonly string[] {
  return [kubeconfigPath, work.namespace, String(work.workers), String(work.count)];
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): RunningOperator {
  const startedAt = performance.now();
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, NODE_COMPILE_CACHE: file(".cache"), ...env },
  });
  const lines = new Lines(child, startedAt);
  return {
    pid: child.pid!,
    said: (what) => lines.next((line) => line === what).then(({ at }) => at),
    async heapBytes() {
      const answer = lines.next((line) => /^\d+$/.test(line));
      child.stdin.write("\n");
      return Number((await answer).line);
    },
    async stop() {
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), stopWithinMs);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      clearTimeout(late);
    },
  };
}

/** At the end of its input an operator exits, and Node saves what it has compiled. */
const stopWithinMs = 5000;

interface Line {
  readonly line: string;
  readonly at: number;
}

/** The lines of a process; each can be waited for, before or after it comes. */
class Lines {
  readonly #unclaimed: Line[] = [];
  readonly #waiting: { readonly matches: (line: string) => boolean; resolve(line: Line): void }[] =
    [];
  readonly #ended: Promise<never>;

  constructor(child: ChildProcess, startedAt: number) {
    createInterface({ input: child.stdout! }).on("line", (line) =>
      this.#take({ line, at: performance.now() - startedAt }),
    );
    this.#ended = once(child, "exit").then(([code]) => {
      throw new Error(`the operator ended with ${String(code)}; its own output says why`);
    });
    this.#ended.catch(() => {});
  }

  next(matches: (line: string) => boolean): Promise<Line> {
    const at = this.#unclaimed.findIndex(({ line }) => matches(line));
    if (at >= 0) return Promise.resolve(this.#unclaimed.splice(at, 1)[0]!);
    const come = new Promise<Line>((resolve) => this.#waiting.push({ matches, resolve }));
    return Promise.race([come, this.#ended]);
  }

  #take(line: Line): void {
    const at = this.#waiting.findIndex(({ matches }) => matches(line.line));
    if (at < 0) this.#unclaimed.push(line);
    else this.#waiting.splice(at, 1)[0]!.resolve(line);
  }
}
