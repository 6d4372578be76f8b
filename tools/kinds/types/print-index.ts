// Prints one module's index.ts: all types, and a value for each kind. The models are imported as
// types only, because Node would otherwise read thousands of lines for a few names. Pure.
import { isAnsweredWithStatus, printKindValue } from "./print-kind-value.ts";
import { type PrintContext, printDocs } from "./print-models.ts";
import { referenceLink } from "./reference-link.ts";
import type { TypeModule } from "./type-modules.ts";

/** A module's index.ts, not yet formatted. */
export function printIndex(context: PrintContext, module: TypeModule): string {
  const kinds = module.types.filter(({ role }) => role.is === "kind");
  const values = kinds.map((type) => {
    const link = referenceLink(context.minor, module, type);
    const docs = printDocs(`${module.apiVersion} ${type.facts.goStruct}.`, link);
    return `${docs}\n${printKindValue(context.data, module, type)}`;
  });
  const creators = ["builtInKind", "reviewKind"].filter((name) =>
    values.some((value) => value.includes(`${name}(`)),
  );
  const imports = creators.flatMap((name) => [
    name,
    `type ${name[0]!.toUpperCase()}${name.slice(1)}`,
  ]);
  return [
    context.head,
    ...(kinds.length === 0
      ? []
      : [
          `import { ${imports.join(", ")} } from "../../built-in-kind.ts";`,
          ...(kinds.some(isAnsweredWithStatus)
            ? ['import type { Status } from "../../meta/v1/models.ts";']
            : []),
          'import type * as models from "./models.ts";',
        ]),
    "",
    'export type * from "./models.ts";',
    ...(module.path === "meta/v1" ? ['export type * from "../../wire-types.ts";'] : []),
    ...values,
    "",
  ].join("\n");
}
