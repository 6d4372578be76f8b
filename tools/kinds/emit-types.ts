// Generates packages/homeostat/src/k8s/<group>/<version>/, the TypeScript types of the built-in
// kinds, from the embedded API server's data, and their subpaths in the package's manifest.
// Usage: `node tools/kinds/emit-types.ts`
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKindData } from "../../packages/apiserver/src/apimachinery/kind-data/open-kind-data.ts";
import { gatedGroups } from "../../packages/apiserver/src/server/gated-apis.ts";
import { readSources } from "../read-sources.ts";
import { emitTypeFiles, toExports } from "./types/emit-type-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const source = "packages/apiserver/data/v1.36.jsonl";
const folder = join(root, "packages/homeostat/src/k8s");
const manifest = join(root, "packages/homeostat/package.json");

const read = (path: string): string => readFileSync(join(root, path), "utf8");

const files = await emitTypeFiles(
  openKindData(read(source), undefined, gatedGroups()),
  source,
  JSON.parse(read(".oxfmtrc.json")),
);
for (const path of generatedPaths()) rmSync(join(folder, path));
for (const [path, text] of files) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
writeFileSync(manifest, withExports(readFileSync(manifest, "utf8")));
console.log(`${files.size} files`);

/** Files of an earlier run: they alone lie two folders deep. */
function generatedPaths(): readonly string[] {
  return readSources(folder, ["."])
    .map(({ path }) => path)
    .filter((path) => path.split("/").length === 3);
}

/** The manifest with one entry for each module, before `./package.json`. */
function withExports(text: string): string {
  const content = JSON.parse(text) as { readonly exports: Readonly<Record<string, unknown>> };
  const { "./package.json": last, ...rest } = content.exports;
  const byHand = Object.entries(rest).filter(([subpath]) => !subpath.startsWith("./k8s/"));
  const exports = {
    ...Object.fromEntries(byHand),
    ...toExports(files.keys()),
    "./package.json": last,
  };
  return `${JSON.stringify({ ...content, exports }, undefined, 2)}\n`;
}
