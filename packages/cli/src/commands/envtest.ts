// homeostat server envtest install: installs programs that envtest runs as its control plane.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/testing/process/bin_path_finder.go
// (KUBEBUILDER_ASSETS).
import { accessSync, constants, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";
import { makeFolder } from "../make-folder.ts";

/**
 * Writes etcd and kube-apiserver into `dir`, links kubectl from the PATH, and prints how to use
 * them.
 */
export function installEnvtest(dir: string): void {
  if (process.platform === "win32")
    throw new CommandError(
      "server envtest install: the programs are shell scripts, which Windows cannot run; use the Windows Subsystem for Linux",
      1,
    );
  const folder = resolve(dir);
  const bin = (name: string): string =>
    fileURLToPath(new URL(`../../bin/${name}`, import.meta.url));
  try {
    makeFolder(folder);
    writeProgram(join(folder, "etcd"), [process.execPath, bin("envtest-etcd.js")]);
    writeProgram(join(folder, "kube-apiserver"), [
      process.execPath,
      bin("homeostat.js"),
      "server",
      "envtest",
      "kube-apiserver",
    ]);
  } catch (error) {
    throw new CommandError(
      `server envtest install: write into ${folder}: ${error instanceof Error ? error.message : String(error)}; choose a folder that this user can write to`,
      1,
    );
  }
  const kubectl = linkKubectl(folder);
  process.stdout.write(`${report(folder, kubectl)}\n`);
}

function report(folder: string, kubectl: string | undefined): string {
  const kubectlLine =
    kubectl === undefined
      ? "kubectl is not on the PATH and is not linked; suites that run kubectl need it."
      : `kubectl is ${kubectl}.`;
  return `etcd and kube-apiserver are in ${folder}. ${kubectlLine}\nUse them with: KUBEBUILDER_ASSETS=${folder} go test ./...`;
}

/** Writes a shell script that executes `command` with the script's arguments appended. */
function writeProgram(path: string, command: readonly string[]): void {
  const draft = `${path}.${process.pid}.tmp`;
  // NODE_OPTIONS of the calling test is meant for other programs.
  writeFileSync(
    draft,
    `#!/bin/sh\nunset NODE_OPTIONS\nexec ${command.map(quote).join(" ")} "$@"\n`,
    {
      mode: 0o755,
    },
  );
  renameSync(draft, path);
}

const quote = (argument: string): string => `'${argument.replaceAll("'", "'\\''")}'`;

/** Links the first kubectl on the PATH outside `folder`. */
function linkKubectl(folder: string): string | undefined {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((directory) => directory && resolve(directory) !== folder)
    .map((directory) => resolve(directory, "kubectl"))
    .find(isExecutable);
  if (found === undefined) return undefined;
  rmSync(join(folder, "kubectl"), { force: true });
  symlinkSync(found, join(folder, "kubectl"));
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
