// A module that names a file relative to itself keeps meaning that file when it is bundled: late
// modules, and the data beside the sources and the compiled output.
import { posix, relative } from "node:path";
import type { Plugin } from "rolldown";

/** Where a module's own URL is the base of another. Elsewhere it is the bundle's. */
const asBase = /(\bnew URL\([^()]*,\s*|\bloadLate\(\s*)import\.meta\.url\b/g;
const marked = /\bmodule_url_of\("([^"]*)"\)/g;

/** `sources`: the folder whose modules are bundled. */
export function keepModuleUrls(sources: string): Plugin {
  return {
    name: "keep-module-urls",
    transform(code, id) {
      const module = relative(sources, id).replaceAll("\\", "/").replace(/\.ts$/, ".js");
      const replaced = code.replaceAll(asBase, `$1module_url_of(${JSON.stringify(module)})`);
      return replaced === code ? null : { code: replaced, map: null };
    },
    renderChunk(code, { fileName }) {
      return code.replaceAll(marked, (_, module: string) => {
        const path = posix.relative(posix.dirname(fileName), module);
        return `new URL(${JSON.stringify(path)}, import.meta.url).href`;
      });
    },
  };
}
