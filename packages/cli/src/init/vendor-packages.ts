// Puts tarballs of the packages into a project, where no registry has them.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { makeFolder } from "../make-folder.ts";
import { type PackageOrigin, projectPackages } from "./package-origin.ts";

/** The part of a package.json that names packages. */
export interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Copies the tarballs to `vendor/`. Returns `file:` addresses by package; none for a registry. */
export function vendorPackages(
  origin: PackageOrigin,
  folder: string,
): Readonly<Record<string, string>> {
  if (origin.from === "registry") return {};
  const temporary = mkdtempSync(join(tmpdir(), "homeostat-init-"));
  const vendor = join(folder, "vendor");
  try {
    const files = Object.entries(origin.pack(temporary));
    makeFolder(vendor);
    return Object.fromEntries(
      files.map(([name, file]) => {
        copyFileSync(file, join(vendor, basename(file)));
        return [name, `file:vendor/${basename(file)}`];
      }),
    );
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError(
      `init: copy the packages to ${vendor}: ${message}; choose a folder that this user can write to`,
      1,
    );
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Names the tarballs. Pure. */
export function withVendored<M extends Manifest>(
  manifest: M,
  vendored: Readonly<Record<string, string>>,
): M {
  const isNeeded = (name: string): boolean =>
    (projectPackages.dependencies as readonly string[]).includes(name);
  const pick = (needed: boolean): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(vendored).filter(([name]) => isNeeded(name) === needed));
  return {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...pick(true) },
    devDependencies: { ...manifest.devDependencies, ...pick(false) },
  };
}
