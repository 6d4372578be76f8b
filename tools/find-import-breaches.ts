// Finds imports that violate tools/layers.ts: upwards or sideways inside a package, into another
// package's internals, against the order of packages, or of packages that the manifest does not
// list. Reads text, not syntax trees: `import type`, re-exports and `import()` count like any
// import.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { layers, type Levels, narrowedImports, packageOrder } from "./layers.ts";
import { isTest, readSources, type Source } from "./read-sources.ts";

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** A package as the checks see it. */
interface Package {
  /** Its folder under `packages/`. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * One line for each breach in the tree under `root`: file, what it imports, and why that is wrong.
 */
export function findImportBreaches(root: string): readonly string[] {
  const packages = readSources(root, ["packages"], ["package.json"]).map(({ path, text }) => ({
    folder: path.split("/")[1]!,
    manifest: JSON.parse(text) as Manifest,
  }));
  const workspace = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  return packages.flatMap((own) =>
    readSources(root, [`packages/${own.folder}/src`]).flatMap((source) =>
      importsOf(source.text).flatMap((specifier) => {
        const why = specifier.startsWith(".")
          ? relativeBreach(own, source, specifier)
          : bareBreach(own, packages, workspace, { path: source.path, specifier });
        return why === undefined ? [] : [`${source.path} imports ${specifier}: ${why}`];
      }),
    ),
  );
}

/** Specifiers of all imports and re-exports of a source text, those of types included. */
export function importsOf(text: string): readonly string[] {
  const statements = text.matchAll(
    /^\s*(?:import|export)\b[^"'`;]*?\bfrom\s*["']([^"']+)["']|^\s*import\s*["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm,
  );
  return [...statements].map((match) => (match[1] ?? match[2] ?? match[3])!);
}

function relativeBreach(own: Package, { path }: Source, specifier: string): string | undefined {
  const base = `packages/${own.folder}/src/`;
  const target = posix.join(posix.dirname(path), specifier);
  if (!target.startsWith(base)) return "a relative import must not leave the package's src";
  if (isTest(path)) return undefined;
  const file = `${own.folder}/${path.slice(base.length)}`;
  const imported = `${own.folder}/${target.slice(base.length)}`;
  for (const [place, levels] of Object.entries(layers)) {
    if (!file.startsWith(`${place}/`) || !imported.startsWith(`${place}/`)) continue;
    const breach = levelBreach(levels, unitOf(place, file), unitOf(place, imported));
    if (breach) return breach;
  }
  return undefined;
}

function levelBreach(levels: Levels, from: string, to: string): string | undefined {
  const levelOf = (unit: string): number => levels.findIndex((units) => units.includes(unit));
  const [source, target] = [levelOf(from), levelOf(to)];
  if (source < 0 || target < 0) return `${source < 0 ? from : to} has no place in tools/layers.ts`;
  if (from === to || target < source) return undefined;
  return target === source
    ? `${from} and ${to} are on one level: strangers`
    : `${to} is above ${from}`;
}

/** The folder directly below a place that a file lies in; "." for files of the place itself. */
export function unitOf(place: string, file: string): string {
  const [first, ...rest] = file.slice(place.length + 1).split("/");
  return rest.length === 0 ? "." : first!;
}

function bareBreach(
  own: Package,
  packages: readonly Package[],
  workspace: Manifest,
  { path, specifier }: { readonly path: string; readonly specifier: string },
): string | undefined {
  if (specifier.startsWith("node:")) return undefined;
  const name = packageName(specifier);
  const target = packages.find(({ manifest }) => manifest.name === name);
  if (target?.folder === own.folder) return "a package imports itself by relative paths";
  if (!isDeclared(own.manifest, name) && !(isTest(path) && isDeclared(workspace, name)))
    return `packages/${own.folder}/package.json does not name ${name}`;
  return target === undefined ? undefined : workspaceBreach(own, target, path, specifier);
}

function workspaceBreach(
  own: Package,
  target: Package,
  path: string,
  specifier: string,
): string | undefined {
  const rank = (name: string): number => (packageOrder as readonly string[]).indexOf(name);
  if (rank(target.manifest.name) >= rank(own.manifest.name))
    return `${target.manifest.name} comes after ${own.manifest.name}`;
  const subpath = `.${specifier.slice(target.manifest.name.length)}`;
  if (!(subpath in (target.manifest.exports ?? {}))) return "not a public subpath of that package";
  const narrowed = narrowedImports.find(
    ({ folder, from }) => folder === own.folder && from === target.manifest.name,
  );
  const inner = path.slice(`packages/${own.folder}/src/`.length);
  if (narrowed === undefined || isTest(path) || isAllowed(narrowed.allowed, specifier))
    return undefined;
  return narrowed.except.some((folder) => inner.startsWith(`${folder}/`))
    ? undefined
    : `only ${narrowed.except.join(", ")} may; all else imports ${narrowed.allowed.join(" and ")}`;
}

const isAllowed = (allowed: readonly string[], specifier: string): boolean =>
  allowed.some((each) => (each.endsWith("/") ? specifier.startsWith(each) : specifier === each));

/** A package names what it is installed with; what only its build needs becomes part of it. */
const isDeclared = (manifest: Manifest, name: string): boolean =>
  [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies].some(
    (list) => list !== undefined && name in list,
  );

/** `homeostat/api` → `homeostat`; `@homeostat/apiserver/x` → `@homeostat/apiserver`. */
const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
