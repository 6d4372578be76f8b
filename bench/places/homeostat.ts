// Our server as users start it: the published command, in a separate process, over TLS.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Peer, Place } from "./place.ts";
import { published, publishedCommand } from "./published-command.ts";

/** The embedded API server, started by `homeostat server`; buildCommand has built it. */
export const homeostat: Peer = {
  name: "homeostat",
  durability: "memory",
  absent: () => undefined,
  async start(): Promise<Place> {
    const folder = mkdtempSync(join(tmpdir(), "homeostat-bench-"));
    const kubeconfigPath = join(folder, "kubeconfig");
    const child = spawn(
      process.execPath,
      [
        publishedCommand,
        "server",
        "--port",
        "0",
        "--kubeconfig",
        kubeconfigPath,
        "--output",
        "json",
      ],
      { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...published } },
    );
    if (!(await saysReady(child.stdout)))
      throw new Error(
        "start homeostat: the command ended before it was ready; what it printed says why",
      );
    return {
      name: "homeostat",
      kubeconfigPath,
      pids: [child.pid!],
      async stop() {
        child.kill("SIGTERM");
        if (child.exitCode === null) await once(child, "exit");
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

async function saysReady(output: NodeJS.ReadableStream): Promise<boolean> {
  for await (const line of createInterface({ input: output }))
    if (line.includes('"pid"')) return true;
  return false;
}
