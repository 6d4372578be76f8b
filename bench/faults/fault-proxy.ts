// Starts the fault proxy, which is not part of this repository, and talks to its control port.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { FaultRule } from "./scenarios.ts";

/** A line of the proxy's log. */
export interface ProxyEvent {
  readonly t: number;
  readonly ev: string;
  readonly [field: string]: unknown;
}

/** The figures that the proxy's oracle takes from a log. */
export interface Oracle {
  readLog(file: string): readonly ProxyEvent[];
  isRead(event: ProxyEvent): boolean;
  relists(log: readonly ProxyEvent[], from: number): { readonly total: number };
  resumes(log: readonly ProxyEvent[]): {
    readonly could: number;
    readonly fraction: number | null;
  };
  blind(log: readonly ProxyEvent[], until: number): { readonly maxMs: number | null };
  retryAfter(log: readonly ProxyEvent[]): { readonly retried: number; readonly early: number };
}

/** A running proxy. */
export interface FaultProxy {
  readonly kubeconfig: string;
  readonly log: string;
  inject(rules: readonly FaultRule[]): Promise<void>;
  clear(): Promise<void>;
  stop(): Promise<void>;
}

/** Loads the oracle beside the proxy. */
export const loadOracle = (proxy: string): Promise<Oracle> =>
  import(pathToFileURL(join(dirname(proxy), "check.mjs")).href) as Promise<Oracle>;

/** Starts the program `proxy` in front of the server of `kubeconfig`. */
export async function startProxy(
  proxy: string,
  kubeconfig: string,
  folder: string,
): Promise<FaultProxy> {
  const out = join(folder, "proxied.kubeconfig");
  const child = spawn(process.execPath, [proxy, "--kubeconfig", kubeconfig, "--out", out], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const { value } = await lines.next();
  const { control, log } = JSON.parse(String(value)) as {
    readonly control: number;
    readonly log: string;
  };
  const ask = async (method: string, path: string, body?: unknown): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${control}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new Error(`${method} /${path} of the fault proxy: ${await answer.text()}`);
  };
  return {
    kubeconfig: out,
    log,
    inject: (rules) => ask("POST", "faults", rules),
    clear: () => ask("DELETE", "faults"),
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}
