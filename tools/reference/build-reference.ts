// Builds upstream's etcd, kube-apiserver and kube-controller-manager from the modules that go.mod
// pins, once, into an ignored folder. Knows nothing about running them (start-reference.ts).

import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The version that the built programs report; must agree with go.mod. */
export const kubernetesVersion = { git: "v1.36.3", major: "1", minor: "36" } as const;

const here = dirname(fileURLToPath(import.meta.url));
export const cacheFolder = join(here, ".cache");
export const binaryPath = (name: BinaryName): string => join(cacheFolder, "bin", name);

const packages = {
  issue: "./issue",
  etcd: "go.etcd.io/etcd/server/v3",
  "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
  "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
} as const;
export type BinaryName = keyof typeof packages;
const names = Object.keys(packages) as BinaryName[];

/** The programs that are still to be built. */
export const missingBinaries = (): readonly BinaryName[] =>
  names.filter((name) => !existsSync(binaryPath(name)));

const linkerFlags = (): string => {
  const variable = "k8s.io/component-base/version";
  const { git, major, minor } = kubernetesVersion;
  return `-s -w -X ${variable}.gitVersion=${git} -X ${variable}.gitMajor=${major} -X ${variable}.gitMinor=${minor} -X ${variable}.gitTreeState=clean`;
};

const goBuild = (name: BinaryName): Promise<void> =>
  new Promise((resolve, reject) => {
    const args = [
      "build",
      "-p",
      "2",
      "-trimpath",
      "-ldflags",
      linkerFlags(),
      "-o",
      binaryPath(name),
      packages[name],
    ];
    const go = spawn("go", args, {
      cwd: here,
      env: { ...process.env, GOWORK: "off", CGO_ENABLED: "0" },
      stdio: "inherit",
    });
    go.on("error", (cause) =>
      reject(
        new Error(`build ${name}: running the go command failed; install Go 1.26 or newer`, {
          cause,
        }),
      ),
    );
    go.on("exit", (code) =>
      code === 0
        ? resolve()
        : reject(
            new Error(`build ${name}: go build ended with ${String(code)}; its output is above`),
          ),
    );
  });

/**
 * Builds what is missing, one program after another: minutes and about 2 GB of memory the first
 * time.
 */
export const buildReference = async (report: (line: string) => void): Promise<void> => {
  mkdirSync(join(cacheFolder, "bin"), { recursive: true });
  for (const name of missingBinaries()) {
    report(`building ${name}`);
    await goBuild(name);
  }
};
