// Runs the programs of pods that the API server calls (local-programs.ts) on this machine, and
// leads connections to a pod's address and port to its program. The pods' addresses are local in
// the network of the session (../pod-network.ts).
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Client } from "homeostat/client";
import { Secret } from "homeostat/k8s/core/v1";
import { freePort } from "../../fixtures/free-port.ts";
import type { KubectlConfig } from "../suite.ts";
import { followPods } from "./follow-pods.ts";
import { type LocalProgram, localProgramsOf, type ServingPod } from "./local-programs.ts";

const run = promisify(execFile);
const serveWithinMs = 60_000;

/** What the programs are and where they are reached. */
export interface ProgramOptions {
  readonly kubeconfig: string;
  /** Folder with the programs and kubectl. */
  readonly programs: string;
}

interface Pod extends ServingPod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string };
  readonly spec: ServingPod["spec"] & {
    readonly nodeName?: string;
    readonly serviceAccountName?: string;
  };
  readonly status?: { readonly podIP?: string };
}

/** Where a program in a pod finds its service account. */
const inPod = "/run/secrets/kubernetes.io/serviceaccount";
/** Puts the service account ($0) there, for the program ("$@") only. */
const asInPod = `mount -t tmpfs tmpfs /run; mkdir -p ${inPod}; cp "$0"/* ${inPod}; exec "$@"`;
const serviceAccount = ".serviceaccount";

/** A pod whose programs run here. */
class RunningPod {
  readonly folder = mkdtempSync(join(tmpdir(), "homeostat-pod-"));
  /** Loopback ports of the programs by port of the pod, once they are started. */
  readonly ports: Promise<ReadonlyMap<number, number>>;
  readonly #children: ChildProcess[] = [];
  #isStopped = false;
  readonly #options: ProgramOptions;

  constructor(
    pod: Pod,
    programs: readonly LocalProgram[],
    client: Client,
    options: ProgramOptions,
  ) {
    this.#options = options;
    this.ports = this.#start(pod, programs, client).catch((error: unknown) => {
      if (!this.#isStopped) console.error(`start ${pod.metadata.name}: ${String(error)}`);
      return new Map();
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const child of this.#children) child.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #start(
    pod: Pod,
    programs: readonly LocalProgram[],
    client: Client,
  ): Promise<ReadonlyMap<number, number>> {
    const ports = new Map<number, number>();
    await this.#writeVolumes(pod, client);
    const env = await this.#writeServiceAccount(pod);
    for (const { file, podPort, args } of programs) {
      const port = await freePort();
      if (podPort !== undefined) ports.set(podPort, port);
      const output = openSync(join(this.folder, `${file}.log`), "a");
      const command = [join(this.#options.programs, file), ...args({ folder: this.folder, port })];
      const child = spawn(
        "unshare",
        ["--mount", "sh", "-e", "-c", asInPod, join(this.folder, serviceAccount), ...command],
        { cwd: this.folder, env: { ...process.env, ...env }, stdio: ["ignore", output, output] },
      );
      child.on("error", (error) => console.error(`start ${file}: ${error.message}`));
      this.#children.push(child);
    }
    return ports;
  }

  async #writeVolumes({ metadata: { namespace }, spec }: Pod, client: Client): Promise<void> {
    for (const { name, secret } of spec.volumes ?? []) {
      if (!secret) continue;
      const { data = {} } = await client.get(Secret, { name: secret.secretName, namespace });
      mkdirSync(join(this.folder, name), { recursive: true });
      for (const [file, content] of Object.entries(data))
        writeFileSync(join(this.folder, name, file), Buffer.from(content, "base64"));
    }
  }

  /** Writes what a kubelet mounts; returns the variables that it sets. */
  async #writeServiceAccount({
    metadata: { namespace },
    spec,
  }: Pod): Promise<Readonly<Record<string, string>>> {
    const { kubeconfig, programs } = this.#options;
    const kubectl = async (...args: readonly string[]): Promise<string> =>
      (await run(join(programs, "kubectl"), [`--kubeconfig=${kubeconfig}`, ...args])).stdout;
    const account = spec.serviceAccountName ?? "default";
    const token = await kubectl("create", "token", account, `--namespace=${namespace}`);
    const {
      clusters: [{ cluster }],
    } = JSON.parse(
      await kubectl("config", "view", "--raw", "--minify", "--flatten", "--output=json"),
    ) as KubectlConfig;
    const folder = join(this.folder, serviceAccount);
    mkdirSync(folder);
    writeFileSync(join(folder, "token"), token.trim());
    writeFileSync(join(folder, "namespace"), namespace);
    const authority = Buffer.from(cluster["certificate-authority-data"] ?? "", "base64");
    writeFileSync(join(folder, "ca.crt"), authority);
    const { hostname, port } = new URL(cluster.server);
    return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  }
}

/** Starts; call the result to stop. */
export async function runLocalPrograms(options: ProgramOptions): Promise<() => Promise<void>> {
  const running = new Map<string, RunningPod>();
  const byAddress = new Map<string, RunningPod>();
  const servers = new Map<number, Server>();
  const serve = async (socket: Socket, podPort: number): Promise<void> => {
    socket.on("error", () => {}).pause();
    const port = (await byAddress.get(socket.localAddress ?? "")?.ports)?.get(podPort);
    if (port === undefined) socket.resetAndDestroy();
    else await passOn(socket, port);
  };
  const listenOn = (podPort: number): void => {
    if (servers.has(podPort)) return;
    const server = createServer((socket) => void serve(socket, podPort));
    servers.set(podPort, server.listen(podPort, "0.0.0.0"));
  };
  const stopFollowing = await followPods<Pod>(options.kubeconfig, {
    changed(pod, client) {
      const programs = pod.spec.nodeName === undefined ? [] : localProgramsOf(pod);
      if (programs.length === 0) return;
      const { uid } = pod.metadata;
      const own = running.get(uid) ?? new RunningPod(pod, programs, client, options);
      running.set(uid, own);
      for (const { podPort } of programs) if (podPort !== undefined) listenOn(podPort);
      if (pod.status?.podIP !== undefined) byAddress.set(pod.status.podIP, own);
    },
    deleted(uid) {
      running.get(uid)?.stop();
      running.delete(uid);
    },
  });
  return async () => {
    await stopFollowing();
    for (const server of servers.values()) server.close();
    for (const each of running.values()) each.stop();
  };
}

/** Passes bytes in both directions, once the program serves. */
async function passOn(socket: Socket, port: number): Promise<void> {
  const until = Date.now() + serveWithinMs;
  for (; !socket.destroyed && Date.now() < until; await pause(100)) {
    const upstream = await connected(port);
    if (!upstream) continue;
    upstream.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
    return;
  }
  socket.destroy();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Undefined when the port refuses. */
const connected = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket.removeAllListeners("error")));
    socket.once("error", () => resolve(undefined));
  });
