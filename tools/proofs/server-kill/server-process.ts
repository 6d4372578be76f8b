// The server of the proof: a process of its own on one data directory and one port, started and killed again and again.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

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
  /** SIGKILL; resolves when the process is no more. */
  kill(): Promise<void>;
}

export const kubeconfigOf = ({ folder }: Place): string => join(folder, "kubeconfig");

/** Begins a life. */
export function startServer(place: Place): Life {
  const args = ["server", "--port", String(place.port), "--data-dir", join(place.folder, "data"), "--kubeconfig", kubeconfigOf(place), ...place.flags];
  const child = spawn(process.execPath, ["--conditions=homeostat-source", program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  const gone = once(child, "exit");
  const ready = untilReady(child);
  // Who kills a server that is only starting does not wait for it.
  ready.catch(() => {});
  return {
    ready,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function untilReady(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout!.once("data", () => resolve());
    child.stderr!.on("data", (chunk: Buffer) => (said += chunk));
    child.once("close", (code, signal) => reject(new Error(`the server ended before it was ready: ${signal ?? code} ${said}`)));
  });
}

/** A port that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
