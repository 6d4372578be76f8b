// Prints one module's models.ts: an interface for each of upstream's structs. Types only, so that
// Node erases the file with its imports. Pure; the formatter lays out the text.
import type { GoField } from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { ModelNames } from "./model-names.ts";
import { type Field, printDocs, printInterface } from "./print-declaration.ts";
import {
  embeddedName,
  isAnsweredWithStatus,
  isStored,
  manifestName,
  statusParameters,
} from "./print-kind-value.ts";
import { referenceLink } from "./reference-link.ts";
import {
  embeddedStructs,
  isAlwaysWritten,
  type ModelType,
  type TypeModule,
} from "./type-modules.ts";
import { apiFile, type PrintContext, structsByHand, TypePrinter } from "./type-printer.ts";

/** The fields of `KindCondition` in wire-types.ts. A test compares them. */
export const kindConditionFields: readonly Field[] = [
  { name: "type", type: "string", required: true },
  { name: "status", type: "string", required: true },
  { name: "lastTransitionTime", type: "Time | null", required: false },
  { name: "reason", type: "string", required: false },
  { name: "message", type: "string", required: false },
];

/** A module's models.ts, not yet formatted. */
export function printModels(context: PrintContext, module: TypeModule): string {
  const names = new ModelNames();
  const printer = new ModelPrinter(context, module, names);
  const types = module.types.flatMap((type) => printer.declarationsOf(type));
  const kinds = printer.kinds();
  assertDistinct(module, names);
  return [
    context.head,
    "",
    ...names.printImports(),
    "",
    ...names.printReexports(),
    ...types,
    ...names.printEnums(),
    ...kinds,
  ].join("\n");
}

class ModelPrinter {
  readonly #context: PrintContext;
  readonly #module: TypeModule;
  readonly #names: ModelNames;
  readonly #types: TypePrinter;

  constructor(context: PrintContext, module: TypeModule, names: ModelNames) {
    this.#context = context;
    this.#module = module;
    this.#names = names;
    this.#types = new TypePrinter(context, module, names);
  }

  declarationsOf(type: ModelType): readonly string[] {
    const { facts, role } = type;
    const name = facts.goStruct;
    const byHand = structsByHand.get(facts.model);
    if (byHand !== undefined) {
      this.#names.reexport(apiFile(byHand), name);
      return [];
    }
    const read = printInterface(this.#docs(type), ...this.#read(type));
    if (role.is !== "kind") return [read, ...this.#embedded(type)];
    return [
      read,
      printInterface(
        this.#docs(type, ", as it is written"),
        `${manifestName(name)} extends ${this.#asWritten(type)}`,
        [this.#metadata(type)],
      ),
      ...this.#embedded(type),
    ];
  }

  /** The types of the kinds' values, by name. */
  kinds(): readonly string[] {
    const kinds = this.#module.types.filter(({ role }) => role.is === "kind");
    if (kinds.length === 0) return [];
    const fields = kinds.map((type): Field => {
      const name = type.facts.goStruct;
      return { name, type: this.#valueType(type), required: true };
    });
    const docs = `\n/** The kinds of ${this.#module.apiVersion}. */`;
    return [printInterface(docs, "Kinds", fields)];
  }

  #valueType(type: ModelType): string {
    const name = type.facts.goStruct;
    const answer = isAnsweredWithStatus(type) ? this.#types.import("meta/v1", "Status") : name;
    const parameters = [answer, manifestName(name)];
    if (!isStored(type.role)) return `${this.#types.kindType("ReviewKind")}<${parameters.join()}>`;
    parameters.push(...statusParameters(this.#context.data, type));
    return `${this.#types.kindType("BuiltInKind")}<${parameters.join()}>`;
  }

  #docs(type: ModelType, detail = ""): string {
    const text = `${this.#module.apiVersion} ${type.facts.goStruct}${detail}.`;
    return printDocs(text, referenceLink(this.#context.minor, this.#module, type));
  }

  /** The head of an interface, and its members as they are read. */
  #read(type: ModelType): readonly [head: string, fields: readonly Field[]] {
    const { facts, role } = type;
    const name = facts.goStruct;
    if (role.is === "struct") return this.#struct(type);
    if (role.is === "list" && this.#listsKind(type)) {
      const base = this.#types.kindType("ListOf");
      return [`${name} extends ${base}<${name.slice(0, -"List".length)}>`, []];
    }
    const identity = [apiVersionOf(this.#module, role), name].map((each) => JSON.stringify(each));
    const given = isStored(role) ? ["apiVersion", "kind", "metadata"] : ["apiVersion", "kind"];
    const fields = facts.members
      .filter((field) => !given.includes(field.name))
      .map((field): Field => {
        if (role.is === "list" && field.name === "items") return this.#items(field);
        const isMetadata = role.is === "kind" && field.name === "metadata";
        const isWritten = role.is !== "object" && isAlwaysWritten(field);
        return { ...this.#types.field(field), required: field.required || isMetadata || isWritten };
      });
    if (isStored(role))
      return [
        `${name} extends ${this.#types.kindType("BuiltInObject")}<${identity.join()}>`,
        fields,
      ];
    const [apiVersion, kind] = identity;
    return [
      name,
      [
        { name: "apiVersion", type: apiVersion!, required: true },
        { name: "kind", type: kind!, required: true },
        ...fields,
      ],
    ];
  }

  /** A struct extends those that Go embeds in it, and what conditions have in common. */
  #struct({ facts }: ModelType): readonly [head: string, fields: readonly Field[]] {
    const bases = embeddedStructs(facts).map((model) => this.#types.struct(model));
    const declared = facts.fields.filter(({ inline }) => !inline);
    const own = this.#withoutConditionFields(declared);
    if (own.length < declared.length) bases.push(this.#types.wireType("KindCondition"));
    const name = facts.goStruct;
    return [
      bases.length === 0 ? name : `${name} extends ${bases.join(", ")}`,
      own.map((field) => this.#types.field(field)),
    ];
  }

  /** The fields that `KindCondition` lacks; all of them, unless the struct has all of its. */
  #withoutConditionFields(fields: readonly GoField[]): readonly GoField[] {
    // A shared field is not printed, so what its type refers to must not be imported.
    const types = new TypePrinter(this.#context, this.#module, new ModelNames());
    const print = ({ name, type, required }: Field): string => `${name} ${type} ${required}`;
    const shared = new Set(kindConditionFields.map(print));
    const own = fields.filter((field) => !shared.has(print(types.field(field))));
    return own.length === fields.length - shared.size ? own : fields;
  }

  /**
   * Whether a list is what all lists are: metadata, and items of the kind that it is named after.
   */
  #listsKind({ facts }: ModelType): boolean {
    const items = facts.members.find(({ name }) => name === "items")?.ref;
    if (items?.at !== "list" || items.items.at !== "struct") return false;
    const { name, path, isKind } = this.#types.find(items.items.type);
    return (
      isKind &&
      path === this.#module.path &&
      facts.goStruct === `${name}List` &&
      facts.members.length === 4
    );
  }

  /** What is only created has no metadata that a server filled in. */
  #metadata({ facts, role }: ModelType): Field {
    if (isStored(role))
      return { name: "metadata", type: this.#types.apiType("Naming"), required: true };
    return { ...this.#types.field(facts.field("metadata")!), required: true };
  }

  /** The base of a manifest. It names the fields that are required only when the object is read. */
  #asWritten({ facts }: ModelType): string {
    const base = this.#types.kindType("AsWritten");
    const names = facts.members.filter(
      (field) =>
        !["apiVersion", "kind", "metadata", "status"].includes(field.name) &&
        !field.required &&
        isAlwaysWritten(field),
    );
    const optional = names.map(({ name }) => JSON.stringify(name)).join(" | ");
    return `${base}<${optional === "" ? facts.goStruct : `${facts.goStruct}, ${optional}`}>`;
  }

  /** An object that another object holds. */
  #embedded(type: ModelType): readonly string[] {
    if (!type.embedded) return [];
    const { facts, role } = type;
    const name = embeddedName(facts.goStruct);
    const docs = this.#docs(type, " inside another object");
    if (role.is === "object") {
      const base = `${this.#types.wireType("ListItem")}<${facts.goStruct}>`;
      return [printInterface(docs, `${name} extends ${base}`, [])];
    }
    const fields = facts.members.map((field): Field => {
      const printed = this.#types.field(field);
      if (field.name === "apiVersion")
        return { ...printed, type: JSON.stringify(apiVersionOf(this.#module, role)) };
      return field.name === "kind" ? { ...printed, type: `"${facts.goStruct}"` } : printed;
    });
    return [printInterface(docs, name, fields)];
  }

  #items(field: GoField): Field {
    if (field.ref.at !== "list" || field.ref.items.at !== "struct") return this.#types.field(field);
    const { name } = this.#types.find(field.ref.items.type);
    const type = `readonly ${this.#types.wireType("ListItem")}<${name}>[]`;
    return { name: "items", type, required: true };
  }
}

function apiVersionOf(module: TypeModule, role: ModelType["role"]): string {
  return role.is === "object" || role.is === "list" ? role.apiVersion : module.apiVersion;
}

/** One name must not mean two things in a module. */
function assertDistinct(module: TypeModule, names: ModelNames): void {
  const own = module.types
    .filter(({ facts }) => !structsByHand.has(facts.model))
    .flatMap(({ facts, role, embedded }) => [
      facts.goStruct,
      ...(role.is === "kind" ? [manifestName(facts.goStruct)] : []),
      ...(embedded ? [embeddedName(facts.goStruct)] : []),
    ]);
  const all = ["Kinds", ...own, ...names.all()];
  const twice = all.filter((name, i) => all.indexOf(name) !== i);
  if (twice.length > 0)
    throw new Error(`print ${module.path}: these names mean two things: ${twice.join(", ")}`);
}
