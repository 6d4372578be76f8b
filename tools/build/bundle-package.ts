// The JavaScript of one published package: an entry for each public subpath and for each module
// that is loaded late, and the files that they share. Dependencies stay imports; packages that
// only the build needs become part of it.
import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix, relative } from "node:path";
import { rolldown } from "rolldown";
import { keepModuleUrls } from "./keep-module-urls.ts";
import { inAscii } from "./in-ascii.ts";
import { withoutBuiltinFacades } from "./without-builtin-facades.ts";

/** A call of loadLate: the importing module and the module that it loads. */
const lateLoad = /loadLate\(\s*import\.meta\.url,\s*"([^"]+)"/g;

/** Bundles the package in `folder` into its `dist`; `groups` name the entries of one file each. */
export async function bundlePackage(
  folder: string,
  groups: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const sources = join(folder, "src");
  const missing = Object.values(groups)
    .flat()
    .filter((file) => !existsSync(join(sources, file)));
  if (missing.length) throw new Error(`bundle ${folder}: no file src/${missing.join(", src/")}`);
  const manifest = readManifest(folder);
  const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const output = join(folder, "dist");
  const build = await rolldown({
    input: Object.fromEntries(
      entriesOf(folder, manifest).map((file) => [withoutEnding(file), file]),
    ),
    cwd: sources,
    platform: "node",
    external: (id) => isBuiltin(id) || installed.some((name) => `${id}/`.startsWith(`${name}/`)),
    plugins: [keepModuleUrls(sources), withoutBuiltinFacades, inAscii],
  });
  for (const file of globSync("**/*.js", { cwd: output })) rmSync(join(output, file));
  await build.write({
    dir: output,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name].js",
    comments: false,
    minifyInternalExports: false,
    codeSplitting: {
      groups: Object.entries(groups).map(([name, files], at) => ({
        name,
        test: (id: string) => files.includes(toPosix(relative(sources, id))),
        priority: Object.keys(groups).length - at,
      })),
    },
  });
  await build.close();
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** Entries, relative to the sources with a leading `./`. */
function entriesOf(folder: string, { exports }: Manifest): readonly string[] {
  const subpaths = Object.values(exports).flatMap((target) =>
    typeof target === "string" ? [] : (target["homeostat-source"] ?? []),
  );
  return [...new Set([...subpaths.map((path) => path.replace("/src/", "/")), ...lateIn(folder)])];
}

function lateIn(folder: string): readonly string[] {
  const files = globSync("src/**/*.ts", { cwd: folder, exclude: ["**/testdata/**"] });
  return files.flatMap((file) => {
    const from = toPosix(relative("src", file));
    const loads = readFileSync(join(folder, file), "utf8").matchAll(lateLoad);
    if (/\.(?:test|suite)\.ts$/.test(from) || from === "apimachinery/load-late.ts") return [];
    return [...loads].map(([, path]) => `./${posix.join(posix.dirname(from), `${path}.ts`)}`);
  });
}

const withoutEnding = (file: string): string => file.replace(/^\.\//, "").replace(/\.ts$/, "");
const toPosix = (path: string): string => path.replaceAll("\\", "/");
