// Starts and stops a real control plane on loopback: etcd, kube-apiserver and optionally
// kube-controller-manager. Each instance has a temporary folder with credentials, data and logs; a
// state file beside the kubeconfig records folder and process ids, so that a later process can stop
// it. Needs the programs of build-reference.ts.

import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../../test/fixtures/free-port.ts";
import { binaryPath, missingBinaries, type BinaryName } from "./build-reference.ts";

export interface ReferenceOptions {
  /** Where the kubeconfig goes; in the instance's own folder unless given. */
  readonly kubeconfigPath?: string;
  /** Runs kube-controller-manager too. */
  readonly controllers?: boolean;
  /**
   * Turns the ServiceAccount admission plug-in on, as in a real cluster; pods then need the
   * controllers to make their accounts.
   */
  readonly serviceAccountAdmission?: boolean;
  readonly readyTimeoutMs?: number;
  /** More kube-apiserver flags, after ours. */
  readonly apiserverFlags?: readonly string[];
  /** More kube-controller-manager flags, after ours. */
  readonly managerFlags?: readonly string[];
}

export interface Reference {
  readonly kubeconfigPath: string;
  readonly server: string;
  stop(): Promise<void>;
}

export interface ReferenceState {
  readonly folder: string;
  readonly kubeconfigPath: string;
  readonly server: string;
  readonly pids: readonly number[];
}

const statePath = (kubeconfigPath: string): string => `${kubeconfigPath}.state.json`;

/** The state that `startReference` left for that kubeconfig, undefined when there is none. */
export const readState = (kubeconfigPath: string): ReferenceState | undefined =>
  existsSync(statePath(kubeconfigPath))
    ? (JSON.parse(readFileSync(statePath(kubeconfigPath), "utf8")) as ReferenceState)
    : undefined;

/**
 * Runs an instance until `stop()`; the processes outlive this one otherwise. Resolves once /readyz
 * says ok.
 */
export const startReference = async (options: ReferenceOptions = {}): Promise<Reference> => {
  const missing = missingBinaries();
  if (missing.length > 0)
    throw new Error(
      `start reference: ${missing.join(", ")} not built; run the build command of tools/reference first`,
    );
  const folder = mkdtempSync(join(tmpdir(), "homeostat-reference-"));
  const kubeconfigPath = options.kubeconfigPath ?? join(folder, "kubeconfig");
  if (readState(kubeconfigPath))
    throw new Error(
      `start reference: ${statePath(kubeconfigPath)} says that an instance exists; stop it first`,
    );
  const tokens = writeCredentials(folder);
  const [port, etcdPort, peerPort, managerPort] = await freePorts(4);
  const server = `https://127.0.0.1:${port}`;
  writeKubeconfig({ folder, server, token: tokens.admin, path: kubeconfigPath });

  const pids: number[] = [];
  const run = (name: BinaryName, args: readonly string[]): void => {
    pids.push(launch({ name, folder, args }));
    const state: ReferenceState = { folder, kubeconfigPath, server, pids };
    writeFileSync(statePath(kubeconfigPath), `${JSON.stringify(state)}\n`);
  };
  try {
    run("etcd", etcdFlags(folder, etcdPort!, peerPort!));
    run("kube-apiserver", [
      ...apiserverFlags(folder, port!, etcdPort!),
      ...(options.serviceAccountAdmission ? [] : ["--disable-admission-plugins=ServiceAccount"]),
      ...(options.apiserverFlags ?? []),
    ]);
    await untilReady({
      folder,
      server,
      token: tokens.admin,
      pids,
      timeoutMs: options.readyTimeoutMs ?? 120_000,
    });
    if (options.controllers) {
      const manager = join(folder, "controller-manager.kubeconfig");
      writeKubeconfig({ folder, server, token: tokens.manager, path: manager });
      run("kube-controller-manager", [
        ...managerFlags(folder, managerPort!, manager),
        ...(options.managerFlags ?? []),
      ]);
    }
  } catch (error) {
    await stopReference(kubeconfigPath);
    throw error;
  }
  return { kubeconfigPath, server, stop: () => stopReference(kubeconfigPath) };
};

/** Ends the processes of an instance and removes its folder, kubeconfig and state. Idempotent. */
export const stopReference = async (kubeconfigPath: string): Promise<void> => {
  const state = readState(kubeconfigPath);
  if (!state) return;
  for (const pid of [...state.pids].reverse()) await end(pid, state.folder);
  rmSync(state.folder, { recursive: true, force: true });
  rmSync(kubeconfigPath, { force: true });
  rmSync(statePath(kubeconfigPath), { force: true });
};

/**
 * Whether that process still is the one we started: its command line names the instance's folder.
 */
export const isRunning = (pid: number, folder: string): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const commandLine = `/proc/${pid}/cmdline`;
  return !existsSync(commandLine) || readFileSync(commandLine, "utf8").includes(folder);
};

const end = async (pid: number, folder: string): Promise<void> => {
  for (let attempt = 0; isRunning(pid, folder); attempt++) {
    process.kill(pid, attempt < 50 ? "SIGTERM" : "SIGKILL");
    await sleep(100);
  }
};

const launch = ({
  name,
  folder,
  args,
}: {
  name: BinaryName;
  folder: string;
  args: readonly string[];
}): number => {
  const log = openSync(join(folder, `${name}.log`), "a");
  const child = spawn(binaryPath(name), args, {
    cwd: folder,
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  child.unref();
  if (child.pid === undefined)
    throw new Error(`start reference: ${binaryPath(name)} could not be run`);
  return child.pid;
};

const etcdFlags = (folder: string, port: number, peerPort: number): readonly string[] => [
  `--data-dir=${join(folder, "etcd")}`,
  "--unsafe-no-fsync",
  "--log-level=warn",
  `--listen-client-urls=http://127.0.0.1:${port}`,
  `--advertise-client-urls=http://127.0.0.1:${port}`,
  `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-advertise-peer-urls=http://127.0.0.1:${peerPort}`,
  `--initial-cluster=default=http://127.0.0.1:${peerPort}`,
];

const apiserverFlags = (folder: string, port: number, etcdPort: number): readonly string[] => [
  `--etcd-servers=http://127.0.0.1:${etcdPort}`,
  "--bind-address=127.0.0.1",
  "--advertise-address=127.0.0.1",
  `--secure-port=${port}`,
  `--cert-dir=${folder}`,
  `--tls-cert-file=${join(folder, "server.crt")}`,
  `--tls-private-key-file=${join(folder, "server.key")}`,
  `--client-ca-file=${join(folder, "ca.crt")}`,
  `--token-auth-file=${join(folder, "tokens.csv")}`,
  "--authorization-mode=RBAC",
  "--allow-privileged=true",
  "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
  `--service-account-key-file=${join(folder, "service-account.pub")}`,
  `--service-account-signing-key-file=${join(folder, "service-account.key")}`,
  "--service-cluster-ip-range=10.0.0.0/24",
];

const managerFlags = (folder: string, port: number, kubeconfig: string): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  `--authentication-kubeconfig=${kubeconfig}`,
  `--authorization-kubeconfig=${kubeconfig}`,
  "--bind-address=127.0.0.1",
  `--secure-port=${port}`,
  `--cert-dir=${folder}`,
  "--leader-elect=false",
  "--use-service-account-credentials=true",
  "--controllers=*,bootstrapsigner,tokencleaner",
  `--root-ca-file=${join(folder, "ca.crt")}`,
  `--service-account-private-key-file=${join(folder, "service-account.key")}`,
  `--cluster-signing-cert-file=${join(folder, "ca.crt")}`,
  `--cluster-signing-key-file=${join(folder, "ca.key")}`,
];

/**
 * Bearer tokens rather than client certificates: a request can then drop its credential on a
 * connection that is open.
 */
const writeCredentials = (folder: string): { readonly admin: string; readonly manager: string } => {
  execFileSync(binaryPath("issue"), [folder]);
  const [admin, manager] = [randomBytes(16).toString("hex"), randomBytes(16).toString("hex")];
  writeFileSync(
    join(folder, "tokens.csv"),
    `${admin},admin,admin,system:masters\n${manager},system:kube-controller-manager,manager\n`,
    { mode: 0o600 },
  );
  return { admin, manager };
};

const writeKubeconfig = ({
  folder,
  server,
  token,
  path,
}: {
  folder: string;
  server: string;
  token: string;
  path: string;
}): void => {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "reference",
    contexts: [{ name: "reference", context: { cluster: "reference", user: "reference" } }],
    clusters: [
      {
        name: "reference",
        cluster: {
          server,
          "certificate-authority-data": readFileSync(join(folder, "ca.crt")).toString("base64"),
        },
      },
    ],
    users: [{ name: "reference", user: { token } }],
  };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
};

const untilReady = async ({
  folder,
  server,
  token,
  pids,
  timeoutMs,
}: {
  folder: string;
  server: string;
  token: string;
  pids: readonly number[];
  timeoutMs: number;
}): Promise<void> => {
  const end = performance.now() + timeoutMs;
  let last = "no answer yet";
  while (performance.now() < end) {
    for (const pid of pids)
      if (!isRunning(pid, folder))
        throw new Error(`start reference: a program ended early\n${logTails(folder)}`);
    last = await readiness({ folder, server, token });
    if (last === "ok") return;
    await sleep(200);
  }
  throw new Error(`start reference: not ready after ${timeoutMs} ms: ${last}\n${logTails(folder)}`);
};

const readiness = ({
  folder,
  server,
  token,
}: {
  folder: string;
  server: string;
  token: string;
}): Promise<string> =>
  new Promise((resolve) => {
    const options = {
      ca: readFileSync(join(folder, "ca.crt")),
      headers: { authorization: `Bearer ${token}` },
      agent: false,
    };
    const asking = request(`${server}/readyz`, options, (response) => {
      let body = "";
      response
        .setEncoding("utf8")
        .on("data", (chunk: string) => {
          body += chunk;
        })
        .on("end", () => resolve(body));
    });
    asking.setTimeout(5_000, () => asking.destroy(new Error("timeout")));
    asking.on("error", (error) => resolve(error.message));
    asking.end();
  });

const logTails = (folder: string): string =>
  ["etcd", "kube-apiserver"]
    .map((name) => join(folder, `${name}.log`))
    .filter((path) => existsSync(path))
    .map((path) => `${path}:\n${readFileSync(path, "utf8").split("\n").slice(-8).join("\n")}`)
    .join("\n");
