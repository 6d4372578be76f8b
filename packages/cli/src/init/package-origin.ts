// Where the packages of this command came from, so that a project gets the same ones: a registry,
// tarballs, or a checkout of the repository.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError } from "../command-error.ts";

/** The packages that a project installs, by what they are for. */
export const projectPackages = {
  dependencies: ["homeostat"],
  devDependencies: ["@homeostat/apiserver", "@homeostat/cli", "@homeostat/testing"],
} as const;

/** Needed by the others: where there is no registry, a project has to name it too. */
const needed = "@homeostat/cel";

/** A registry has the packages, or `pack` puts their tarballs into a folder. */
export type PackageOrigin =
  | { readonly from: "registry" }
  | {
      readonly from: "tarballs" | "checkout";
      /** Resolves to the files by their packages; `from` says where they were. */
      pack(folder: string): Readonly<Record<string, string>>;
    };

/** The folder of this package, from src/init and from dist/chunks alike. */
const ownFolder = fileURLToPath(new URL("../../", import.meta.url));

/** @param folder the installed package of this command; a parameter for tests */
export function findOrigin(folder: string = ownFolder): PackageOrigin {
  if (existsSync(join(folder, "src/index.ts")))
    return { from: "checkout", pack: (into) => packCheckout(resolve(folder, "../.."), into) };
  const modules = resolve(folder, "../..");
  const installed = readInstalled(modules);
  const tarballs = packages().flatMap((name) => {
    const { resolved = "" } = installed[`node_modules/${name}`] ?? {};
    return resolved.startsWith("file:") ? [[name, resolve(modules, "..", resolved.slice(5))]] : [];
  });
  if (tarballs.length === 0) return { from: "registry" };
  return { from: "tarballs", pack: () => refuseMissing(Object.fromEntries(tarballs)) };
}

const packages = (): readonly string[] => [
  ...projectPackages.dependencies,
  ...projectPackages.devDependencies,
  needed,
];

/** What npm says of an installed tree. Other package managers say nothing of the kind. */
function readInstalled(modules: string): Readonly<Record<string, { readonly resolved?: string }>> {
  try {
    const text = readFileSync(join(modules, ".package-lock.json"), "utf8");
    return (
      (JSON.parse(text) as { packages?: Record<string, { resolved?: string }> }).packages ?? {}
    );
  } catch {
    return {};
  }
}

function refuseMissing(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const name of packages()) {
    const file = files[name];
    if (file !== undefined && existsSync(file)) continue;
    const where =
      file === undefined ? "is installed from a registry" : `came from ${file}, which is gone`;
    throw new CommandError(
      `init: the packages were installed from tarballs, but ${name} ${where}; install all of them from tarballs: ${packages().join(", ")}`,
      1,
    );
  }
  return files;
}

function packCheckout(root: string, into: string): Readonly<Record<string, string>> {
  process.stderr.write(`packing the packages of ${root} …\n`);
  run(root, process.execPath, ["tools/run.mjs", "tools/build/main.ts"]);
  const workspaces = packages().map((name) => `--workspace=${name}`);
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const output = run(root, npm, [
    "pack",
    "--json",
    "--ignore-scripts",
    ...workspaces,
    "--pack-destination",
    into,
  ]);
  const packed = JSON.parse(output) as
    | readonly { name: string; filename: string }[]
    | Readonly<Record<string, { name: string; filename: string }>>;
  return Object.fromEntries(
    Object.values(packed).map(({ name, filename }) => [name, join(into, filename)]),
  );
}

function run(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status === 0) return stdout;
  const isInstalled = existsSync(join(cwd, "node_modules/typescript"));
  const remedy = isInstalled ? "the packages have to build: mend that" : "run npm ci there";
  throw new CommandError(
    `init: ${[command, ...args].join(" ")} in ${cwd}: ${error?.message ?? (stderr || stdout).trim()}; ${remedy}`,
    1,
  );
}
