// `homeostat init`: creates an operator project from the template, with the packages that this
// command came with. Refuses a folder that is not empty, so that no file is overwritten.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { CommandError, parseOutput, usageError } from "../command-error.ts";
import { findOrigin, type PackageOrigin } from "../init/package-origin.ts";
import { type Manifest, vendorPackages, withVendored } from "../init/vendor-packages.ts";
import { makeFolder } from "../make-folder.ts";

/** Two folders up, from src/commands and from dist/commands alike. */
const template = fileURLToPath(new URL("../../templates/operator/", import.meta.url));
const suffix = ".tmpl";
const nameRule = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/**
 * Creates the project. `origin`: a parameter for tests. @throws CommandError when the name or the
 * folder is unusable, or the packages are; nothing is left then.
 */
export function runInit(
  directory: string,
  options: { readonly output?: unknown; readonly origin?: PackageOrigin },
): void {
  const output = parseOutput(options.output ?? "text");
  const folder = resolve(directory);
  const name = basename(folder);
  if (!nameRule.test(name) || name.length > 63)
    throw usageError(
      `init ${directory}: the folder's name becomes the operator's name, which is stored in objects: expected lower-case letters, digits and "-", at most 63, got ${JSON.stringify(name)}`,
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CommandError(
      `init ${directory}: the folder is not empty; choose a new or empty folder`,
      1,
    );
  const { version } = JSON.parse(
    readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
  ) as { readonly version: string };
  const vendored = makeWithPackages(folder, options.origin ?? findOrigin());
  const files = templateFiles(template).map((file) =>
    writeFile(folder, file, { name, version, vendored }),
  );
  if (output === "json") process.stdout.write(`${JSON.stringify({ folder, files })}\n`);
  else
    process.stdout.write(
      `created ${name}: ${files.length} files\n\n  cd ${relative(process.cwd(), folder) || "."}\n  npm install\n  npm test\n  npm run dev\n`,
    );
}

/** Packages may have to be built: a folder that cannot be made is refused before. */
function makeWithPackages(folder: string, origin: PackageOrigin): Readonly<Record<string, string>> {
  const isNew = !existsSync(folder);
  mustMake(folder);
  try {
    return vendorPackages(origin, folder);
  } catch (error) {
    rmSync(isNew ? folder : join(folder, "vendor"), { recursive: true, force: true });
    throw error;
  }
}

function templateFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(suffix))
    .toSorted();
}

interface ProjectFacts {
  readonly name: string;
  readonly version: string;
  /** Addresses of tarballs by package. */
  readonly vendored: Readonly<Record<string, string>>;
}

function nameVendored(text: string, vendored: ProjectFacts["vendored"]): string {
  return `${JSON.stringify(withVendored(JSON.parse(text) as Manifest, vendored), null, 2)}\n`;
}

function writeFile(
  folder: string,
  file: string,
  { name, version, vendored }: ProjectFacts,
): string {
  // npm packs no file of these names.
  const target = file.slice(0, -suffix.length).replace(/^(?:gitignore|dockerignore|npmrc)$/, ".$&");
  const text = readFileSync(join(template, file), "utf8")
    .replaceAll("__NAME__", name)
    .replaceAll("__VERSION__", version);
  const hasVendored = target === "package.json" && Object.keys(vendored).length > 0;
  const path = join(folder, target);
  mustMake(dirname(path));
  try {
    writeFileSync(path, hasVendored ? nameVendored(text, vendored) : text);
  } catch (error) {
    throw unwritable(`write ${path}`, error);
  }
  return target;
}

function mustMake(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw unwritable(`create ${folder}`, error);
  }
}

function unwritable(what: string, error: unknown): CommandError {
  const message = error instanceof Error ? error.message : String(error);
  return new CommandError(
    `init: ${what}: ${message}; choose a folder that this user can write to`,
    1,
  );
}
