// The server process of the proof, on one data directory and one port, restarted after each kill.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { endWithProof } from "../end-with-proof.ts";

const program = fileURLToPath(new URL("../../../packages/cli/bin/homeostat.js", import.meta.url));

/** Where a server keeps what it has, and what it is started with. */
export interface Place {
  readonly folder: string;
  readonly port: number;
  readonly flags: readonly string[];
}

/** One life of a server. */
export interface Life {
  /** Resolves once it answers; rejects with what it said when it ends before that. */
  readonly ready: Promise<void>;
  /** SIGKILL; resolves when the process is no more. Rejects when it has complained of anything. */
  kill(): Promise<void>;
}

export const kubeconfigOf = ({ folder }: Place): string => join(folder, "kubeconfig");

/** Begins a life. */
export function startServer(place: Place): Life {
  const args = [
    "server",
    "--port",
    String(place.port),
    "--data-dir",
    join(place.folder, "data"),
    "--kubeconfig",
    kubeconfigOf(place),
    ...place.flags,
  ];
  const child = spawn(process.execPath, ["--conditions=homeostat-source", program, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = once(child, "close");
  const end = (): void => void child.kill("SIGKILL");
  const forget = endWithProof(end);
  let complaints = "";
  child.stderr.on("data", (chunk: Buffer) => (complaints += chunk));
  const ready = untilReady(child, () => complaints);
  // Who kills a server that is only starting does not wait for it.
  ready.catch(() => {});
  return {
    ready,
    async kill() {
      end();
      await gone;
      forget();
      if (complaints) throw new Error(`the server complained: ${complaints}`);
    },
  };
}

function untilReady(child: ChildProcess, complaints: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout!.once("data", () => resolve());
    child.once("close", (code, signal) =>
      reject(new Error(`the server ended before it was ready: ${signal ?? code} ${complaints()}`)),
    );
  });
}
