// Escapes what is not ASCII: Node decodes a file with one such character into twice the memory, and
// V8 keeps it.
import type { Plugin } from "rolldown";

/**
 * Escapes mean the same in strings, templates, regular expressions and names. Runs last, because
 * the printer of the bundler undoes them.
 */
export const inAscii: Plugin = {
  name: "in-ascii",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = escaped(file.code);
  },
};

const escaped = (code: string): string =>
  code.replaceAll(
    /[^\u0000-\u007f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
