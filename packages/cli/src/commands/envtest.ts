// homeostat server envtest install: a folder of programs that envtest takes for the control
// plane's.
// Upstream: sigs.k8s.io/controller-runtime/pkg/internal/testing/process/bin_path_finder.go
// (KUBEBUILDER_ASSETS).
import { accessSync, constants, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";
import { makeFolder } from "../make-folder.ts";

/**
 * Writes etcd and kube-apiserver into `dir`, links the kubectl on the path, and says how to use
 * them.
 */
export function installEnvtest(dir: string): void {
  if (process.platform === "win32")
    throw new CommandError(
      "server envtest install: the programs are shell scripts, which Windows does not run; use the Windows Subsystem for Linux",
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
      `server envtest install: write into ${folder}: ${error instanceof Error ? error.message : String(error)}; name a folder that this user may write to`,
      1,
    );
  }
  const kubectl = linkKubectl(folder);
  process.stdout.write(`${report(folder, kubectl)}\n`);
}

function report(folder: string, kubectl: string | undefined): string {
  const third =
    kubectl === undefined
      ? "No kubectl is on the path, so none is linked; suites that run it need one there."
      : `kubectl is ${kubectl}.`;
  return `etcd and kube-apiserver are in ${folder}. ${third}\nUse them with: KUBEBUILDER_ASSETS=${folder} go test ./...`;
}

/** A shell script that becomes the given program, with its own arguments after those here. */
function writeProgram(path: string, words: readonly string[]): void {
  const draft = `${path}.${process.pid}.tmp`;
  // What the calling test's shell has in NODE_OPTIONS is meant for other programs.
  writeFileSync(draft, `#!/bin/sh\nunset NODE_OPTIONS\nexec ${words.map(quote).join(" ")} "$@"\n`, {
    mode: 0o755,
  });
  renameSync(draft, path);
}

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Links the first kubectl of the path that is not the link itself. */
function linkKubectl(folder: string): string | undefined {
  const found = (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((place) => place && resolve(place) !== folder)
    .map((place) => resolve(place, "kubectl"))
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
