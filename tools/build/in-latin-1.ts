// Escapes what is not Latin-1: one such character doubles the memory that V8 keeps for a file.
import type { Plugin } from "rolldown";

/**
 * Escapes mean the same in strings, templates, regular expressions and names. Runs last, because
 * the printer of the bundler undoes them.
 */
export const inLatin1: Plugin = {
  name: "in-latin-1",
  generateBundle(_, bundle) {
    for (const file of Object.values(bundle))
      if (file.type === "chunk") file.code = escaped(file.code);
  },
};

const escaped = (code: string): string =>
  code.replaceAll(
    /[^\u0000-\u00ff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
