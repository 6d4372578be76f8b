// Public is a choice: docs/reference/exports.md lists every public name by subpath, and a change of
// that list is a change of the document. `UPDATE_GOLDENS=1 npm test --
// test/architecture/public-surface` writes it anew; read the diff.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const document = join(root, "docs/reference/exports.md");
const head = `# Public names

What the packages export, by subpath. Everything else is closed. Written by \`test/architecture/public-surface.test.ts\`, which also fails when this page and the sources differ.
`;

interface Surface {
  readonly values: readonly string[];
  readonly types: readonly string[];
}

/** A generated module: its types are those of upstream's package, and a test holds the file. */
const generatedTypes = 'export type * from "./models.ts";';

/**
 * Names that a module exports by hand. Throws for \`export *\` and default exports: neither is a
 * choice.
 */
function surfaceOf(text: string): Surface {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  if (/^export (type )?(\*|default\b)/m.test(code))
    throw new Error("public names are re-exported one by one");
  const [values, types]: [string[], string[]] = [[], []];
  for (const [, allTypes, list] of code.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list!
      .split(",")
      .map((each) => each.trim())
      .filter(Boolean)) {
      const isType = allTypes !== undefined || item.startsWith("type ");
      (isType ? types : values).push(
        item
          .replace(/^type /, "")
          .split(" as ")
          .at(-1)!,
      );
    }
  }
  for (const [, name] of code.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm))
    values.push(name!);
  for (const [, name] of code.matchAll(/^export (?:interface|type) (\w+)/gm)) types.push(name!);
  return { values: values.sort(), types: types.sort() };
}

/** Values by name, and where the types are read. */
function generatedSurface(name: string, subpath: string, text: string): string {
  const byHand = text.replace(/^export type \* from .*$/gm, "");
  const values = surfaceOf(byHand).values.map((each) => `\`${each}\``);
  const models = `Types: all of \`${subpath.replace("./", "src/")}/models.ts\``;
  return [
    `## ${name}${subpath.slice(1)}`,
    ...(values.length === 0 ? [] : [`Values: ${values.join(", ")}`]),
    models,
  ].join("\n\n");
}

function formatSurface(): string {
  const sections = ["cel", "homeostat", "apiserver", "testing", "cli"].flatMap((folder) => {
    const { name, exports } = JSON.parse(
      readFileSync(join(root, "packages", folder, "package.json"), "utf8"),
    ) as {
      readonly name: string;
      readonly exports: Readonly<Record<string, string | { readonly "homeostat-source"?: string }>>;
    };
    return Object.entries(exports).flatMap(([subpath, target]) => {
      const source = typeof target === "string" ? undefined : target["homeostat-source"];
      if (source === undefined) return [];
      const text = readFileSync(join(root, "packages", folder, source), "utf8");
      if (text.includes(generatedTypes)) return [generatedSurface(name, subpath, text)];
      const { values, types } = surfaceOf(text);
      const line = (what: string, names: readonly string[]): readonly string[] =>
        names.length === 0 ? [] : [`${what}: ${names.map((each) => `\`${each}\``).join(", ")}`];
      return [`## ${name}${subpath.slice(1)}`, ...line("Values", values), ...line("Types", types)];
    });
  });
  return `${[head.trimEnd(), ...sections].join("\n\n")}\n`;
}

test("the public names are those that docs/reference/exports.md lists", () => {
  const text = formatSurface();
  if (process.env["UPDATE_GOLDENS"]) writeFileSync(document, text);
  assert.equal(text, readFileSync(document, "utf8"));
});

describe("names are found", () => {
  test("in every form", () => {
    const text =
      'export { a, type B, c as d } from "./x.ts";\nexport type { E } from "./y.ts";\nexport const f = 1;\nexport function g() {}\nexport interface H {}\nexport type I = 1;\n// export { no } from "./z.ts";';
    assert.deepEqual(surfaceOf(text), {
      values: ["a", "d", "f", "g"],
      types: ["B", "E", "H", "I"],
    });
  });
  test("and what is exported wholesale is refused", () => {
    assert.throws(() => surfaceOf('export * from "./x.ts";'), /one by one/);
    assert.throws(() => surfaceOf('export type * from "./x.ts";'), /one by one/);
    assert.throws(() => surfaceOf("export default 1;"), /one by one/);
  });
});
