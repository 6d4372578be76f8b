// Prints one module's index.ts: the models, and a value for each kind. Pure.
import { manifestName, type PrintContext } from "./print-models.ts";
import { referenceLink } from "./reference-link.ts";
import { type ModelType, modelOf, takesConditions, type TypeModule } from "./type-modules.ts";

/** Kinds whose creation is answered with another object. */
const answeredWithStatus: ReadonlySet<string> = new Set(["io.k8s.api.core.v1.Binding"]);

/** A module's index.ts, not yet formatted. */
export function printIndex(context: PrintContext, module: TypeModule): string {
  const kinds = module.types.filter(({ role }) => role.is === "kind");
  const values = kinds.map((type) => printKind(context, module, type));
  const used = ["builtInKind", "reviewKind"].filter((name) =>
    values.some((value) => value.includes(`${name}(`)),
  );
  const imports = used.flatMap((name) => [name, `type ${name[0]!.toUpperCase()}${name.slice(1)}`]);
  const needsStatus = values.some((value) => value.includes("<Status,"));
  return [
    context.head,
    ...(used.length === 0
      ? []
      : [
          `import { ${imports.join(", ")} } from "../../built-in-kind.ts";`,
          ...(needsStatus ? ['import type { Status } from "../../meta/v1/models.ts";'] : []),
          'import type * as models from "./models.ts";',
        ]),
    "",
    'export type * from "./models.ts";',
    ...(module.path === "meta/v1" ? ['export type * from "../../wire-types.ts";'] : []),
    ...values,
    "",
  ].join("\n");
}

function printKind(context: PrintContext, module: TypeModule, type: ModelType): string {
  const { facts, role } = type;
  if (role.is !== "kind") throw new Error(`print the kind ${facts.model}: it is not served`);
  const name = facts.goStruct;
  const { resource, namespaced, verbs } = role.facts;
  const isStored = verbs.includes("get");
  const [typeName, create] = isStored
    ? ["BuiltInKind", "builtInKind"]
    : ["ReviewKind", "reviewKind"];
  const read = answeredWithStatus.has(facts.model) ? "Status" : `models.${name}`;
  const parameters = [
    read,
    `models.${manifestName(name)}`,
    ...(isStored ? statusParameters(context, type) : []),
  ];
  const names = [module.apiVersion, name, resource, namespaced ? "Namespaced" : "Cluster"];
  const docs = `\n/**\n * ${module.apiVersion} ${name}.\n * @see ${referenceLink(context.minor, module, type)}\n */`;
  return [
    docs,
    `export type ${name} = models.${name};`,
    `export const ${name}: ${typeName}<${parameters.join(", ")}> = /*#__PURE__*/ ${create}(${names
      .map((each) => JSON.stringify(each))
      .join(", ")});`,
  ].join("\n");
}

/** The types of status and conditions, where a status can be written. */
function statusParameters({ data }: PrintContext, { facts, role }: ModelType): readonly string[] {
  const status = facts.field("status");
  const isWritable =
    role.is === "kind" && role.facts.subresources.some(({ name }) => name === "status");
  const model = status && isWritable ? modelOf(status.ref) : undefined;
  if (model === undefined) return [];
  const name = `models.${model.slice(model.lastIndexOf(".") + 1)}`;
  return takesConditions(data, facts) ? [name, "string"] : [name];
}
