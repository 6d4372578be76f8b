// Prints one module's index.ts: all types, and a value for each kind. The models are imported as
// types only, because Node would otherwise read thousands of lines for a few names. The text is
// final: the formatter would break the same three lines of each kind in several ways. Pure.
import { printDocs } from "./print-declaration.ts";
import { printKindValue } from "./print-kind-value.ts";
import { referenceLink } from "./reference-link.ts";
import type { TypeModule } from "./type-modules.ts";
import type { PrintContext } from "./type-printer.ts";

/** A module's index.ts. */
export function printIndex(context: PrintContext, module: TypeModule): string {
  const kinds = module.types.filter(({ role }) => role.is === "kind");
  const values = kinds.map((type) => {
    const link = referenceLink(context.minor, module, type);
    const docs = printDocs(`${module.apiVersion} ${type.facts.goStruct}.`, link);
    return `${docs}\n${printKindValue(module, type)}`;
  });
  const creators = `builtInKinds<Kinds>("${module.apiVersion}")`;
  return [
    context.head,
    ...(kinds.length === 0
      ? []
      : [
          'import { builtInKinds } from "../../built-in-kind.ts";',
          'import type * as models from "./models.ts";',
          "",
        ]),
    'export type * from "./models.ts";',
    ...(module.path === "meta/v1" ? ['export type * from "../../wire-types.ts";'] : []),
    ...(kinds.length === 0
      ? []
      : [
          "",
          `const ${module.version} = /*#__PURE__*/ ${creators};`,
          "",
          "/** The types of the kinds, by name. */",
          "export type Kinds = models.Kinds;",
        ]),
    ...values,
    "",
  ].join("\n");
}
