// Takes Node's own modules from process.getBuiltinModule. An import statement makes Node evaluate
// each getter of such a module for its namespace: node:http then loads fetch and WebSocket (30 ms
// and 4.5 MB), node:fs its streams and promises.
import type { Plugin } from "rolldown";

const named = /^import \{([^}]*)\} from "(node:[^"]+)";$/gm;
const whole = /^import (?:\* as )?([\w$]+) from "(node:[^"]+)";$/gm;
const dynamic = /\bimport\("(node:[^"]+)"\)/g;

const get = (name: string): string => `process.getBuiltinModule(${JSON.stringify(name)})`;

export const withoutBuiltinFacades: Plugin = {
  name: "without-builtin-facades",
  renderChunk: (code) =>
    code
      .replace(named, (_, names: string, module: string) => {
        return `const {${names.replaceAll(" as ", ": ")}} = ${get(module)};`;
      })
      .replace(whole, (_, name: string, module: string) => `const ${name} = ${get(module)};`)
      .replace(dynamic, (_, module: string) => get(module)),
};
