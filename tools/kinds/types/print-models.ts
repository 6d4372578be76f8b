// Prints one module's models.ts: an interface for each of upstream's structs. Types only, so that
// Node erases the file with its imports. Pure; the formatter lays out the text.
import type {
  GoField,
  KindData,
  SpecialName,
  TypeRef,
} from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { manifestName } from "./print-kind-value.ts";
import { referenceLink } from "./reference-link.ts";
import { isAlwaysWritten, type ModelType, modulePathOf, type TypeModule } from "./type-modules.ts";

export interface PrintContext {
  readonly data: KindData;
  readonly modules: readonly TypeModule[];
  /** `v1.36` */
  readonly minor: string;
  /** First line of every file. */
  readonly head: string;
}

/** What a module's text refers to, gathered on the way. */
interface Names {
  /** Types of other modules, by path. */
  readonly imports: Map<string, Set<string>>;
  readonly wireTypes: Set<string>;
  /** Types of homeostat/api. */
  readonly api: Set<string>;
  /** Types of built-in-kind.ts. */
  readonly kinds: Set<string>;
  /** Closed sets of strings, by Go's name. */
  readonly enums: Map<string, readonly string[]>;
}

/** One printed field. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

const aliases: Readonly<Record<SpecialName, string>> = {
  Time: "Time",
  MicroTime: "MicroTime",
  Duration: "Duration",
  Quantity: "Quantity",
  IntOrString: "IntOrString",
  RawExtension: "RawExtension",
  FieldsV1: "FieldsV1",
  JSON: "unknown",
  JSONSchemaPropsOrArray: "JSONSchemaProps | readonly JSONSchemaProps[]",
  JSONSchemaPropsOrBool: "JSONSchemaProps | boolean",
  JSONSchemaPropsOrStringArray: "JSONSchemaProps | readonly string[]",
};

/** A module's models.ts, not yet formatted. */
export function printModels(context: PrintContext, module: TypeModule): string {
  const names: Names = {
    imports: new Map(),
    wireTypes: new Set(),
    api: new Set(),
    kinds: new Set(),
    enums: new Map(),
  };
  const printer = new ModelPrinter(context, module, names);
  const types = module.types.flatMap((type) => printer.declarationsOf(type));
  const enums = [...names.enums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, values]) => printEnum(name, values));
  assertDistinct(module, names);
  return [context.head, "", ...printImports(names), "", ...types, ...enums].join("\n");
}

/** Other names for models: the structs of a module that have a role. */
const embeddedName = (name: string): string => `Embedded${name}`;

class ModelPrinter {
  readonly #context: PrintContext;
  readonly #module: TypeModule;
  readonly #names: Names;

  constructor(context: PrintContext, module: TypeModule, names: Names) {
    this.#context = context;
    this.#module = module;
    this.#names = names;
  }

  declarationsOf(type: ModelType): readonly string[] {
    const { facts, role } = type;
    const name = facts.goStruct;
    const what = `${this.#module.apiVersion} ${name}`;
    const docs = (text: string): string =>
      printDocs(text, referenceLink(this.#context.minor, this.#module, type));
    const embedded = type.embedded
      ? [
          printInterface(
            docs(`${what} inside another object.`),
            embeddedName(name),
            this.#inside(type),
          ),
        ]
      : [];
    if (role.is === "list" && this.#listsKind(type))
      return [this.#extending(docs(`${what}.`), name, `ListOf<${name.slice(0, -"List".length)}>`)];
    const read = printInterface(docs(`${what}.`), this.#head(type), this.#read(type));
    if (role.is !== "kind") return [read, ...embedded];
    return [
      read,
      printInterface(
        docs(`${what}, as it is written.`),
        `${manifestName(name)} extends ${this.#asWritten(type)}`,
        [isStored(role) ? this.#naming() : this.#metadata()],
      ),
      ...embedded,
    ];
  }

  /** Name of an interface, with its base where all objects of kinds that are stored share one. */
  #head({ facts, role }: ModelType): string {
    if (!isStored(role)) return facts.goStruct;
    this.#names.kinds.add("BuiltInObject");
    const names = [apiVersionOf(this.#module, role), facts.goStruct];
    return `${facts.goStruct} extends BuiltInObject<${names.map((each) => JSON.stringify(each)).join(", ")}>`;
  }

  /** An interface that adds no fields to a type of built-in-kind.ts. */
  #extending(docs: string, name: string, base: string): string {
    this.#names.kinds.add(base.slice(0, base.indexOf("<")));
    return `${docs}\nexport interface ${name} extends ${base} {}`;
  }

  /**
   * Whether a list is what all lists are: metadata, and items of the kind that it is named after.
   */
  #listsKind({ facts }: ModelType): boolean {
    const items = facts.members.find(({ name }) => name === "items")?.ref;
    if (items?.at !== "list" || items.items.at !== "struct") return false;
    const { name, path, isKind } = this.#structName(items.items.type);
    return (
      isKind &&
      path === this.#module.path &&
      facts.goStruct === `${name}List` &&
      facts.members.length === 4
    );
  }

  /** Members as they are read. */
  #read({ facts, role }: ModelType): readonly Field[] {
    if (role.is === "struct") return facts.members.map((field) => this.#field(field));
    const given = isStored(role) ? ["apiVersion", "kind", "metadata"] : ["apiVersion", "kind"];
    const fields = facts.members
      .filter(({ name }) => !given.includes(name))
      .map((field): Field => {
        if (role.is === "list" && field.name === "items") return this.#items(field);
        if (role.is === "kind" && field.name === "metadata") return this.#metadata();
        const required = field.required || (role.is !== "object" && isAlwaysWritten(field));
        return { ...this.#field(field), required };
      });
    if (isStored(role)) return fields;
    return [...identity(apiVersionOf(this.#module, role), facts.goStruct), ...fields];
  }

  /** The base of a manifest. It names the fields that are required only when the object is read. */
  #asWritten({ facts }: ModelType): string {
    this.#names.kinds.add("AsWritten");
    const names = facts.members.filter(
      (field) =>
        !["apiVersion", "kind", "metadata", "status"].includes(field.name) &&
        !field.required &&
        isAlwaysWritten(field),
    );
    const optional = names.map(({ name }) => JSON.stringify(name)).join(" | ");
    return `AsWritten<${optional === "" ? facts.goStruct : `${facts.goStruct}, ${optional}`}>`;
  }

  /** Members of an object that another object holds. */
  #inside({ facts, role }: ModelType): readonly Field[] {
    return facts.members.map((field): Field => {
      if (field.name === "apiVersion" && role.is !== "struct")
        return { ...this.#field(field), type: JSON.stringify(apiVersionOf(this.#module, role)) };
      if (field.name === "kind") return { ...this.#field(field), type: `"${facts.goStruct}"` };
      return this.#field(field);
    });
  }

  /** What is only created has no metadata that a server filled in. */
  #metadata(): Field {
    return { name: "metadata", type: this.#import("meta/v1", "ObjectMeta"), required: true };
  }

  #naming(): Field {
    this.#names.api.add("Naming");
    return { name: "metadata", type: "Naming", required: true };
  }

  #items(field: GoField): Field {
    if (field.ref.at !== "list" || field.ref.items.at !== "struct") return this.#field(field);
    const { name } = this.#structName(field.ref.items.type);
    this.#names.wireTypes.add("ListItem");
    return { name: "items", type: `readonly ListItem<${name}>[]`, required: true };
  }

  #field(field: GoField): Field {
    const type = this.#typeText(field.ref, field);
    const nullable = !field.required && isWrittenAsNull(field);
    return { name: field.name, type: nullable ? `${type} | null` : type, required: field.required };
  }

  #typeText(ref: TypeRef, field: GoField): string {
    switch (ref.at) {
      case "string":
        return this.#stringText(field);
      case "bool":
        return "boolean";
      case "int32":
      case "int64":
      case "float64":
        return "number";
      case "bytes":
        return this.#wireType("Bytes");
      case "special":
        return this.#wireType(aliases[ref.name]);
      case "struct":
        return this.#structText(ref.type);
      case "list": {
        const items = this.#typeText(ref.items, field);
        return items.includes(" ") ? `readonly (${items})[]` : `readonly ${items}[]`;
      }
      case "map":
        return `Readonly<Record<string, ${this.#typeText(ref.values, field)}>>`;
    }
  }

  #stringText({ enum: own, schema, goType }: GoField): string {
    const inner = (schema?.["items"] ?? schema?.["additionalProperties"]) as
      | { readonly enum?: readonly string[] }
      | undefined;
    const values = own ?? inner?.enum;
    if (values === undefined) return "string";
    const name = /(\w+)$/.exec(goType)![1]!;
    const known = this.#names.enums.get(name);
    if (known !== undefined && known.join() !== values.join())
      throw new Error(`print ${this.#module.path}: two sets of values are named ${name}`);
    this.#names.enums.set(name, values);
    return name;
  }

  #wireType(text: string): string {
    if (/^[A-Z]\w+$/.test(text)) this.#names.wireTypes.add(text);
    return text;
  }

  #structText(model: string): string {
    const { name, embedded, path } = this.#structName(model);
    return embedded ? this.#import(path, embeddedName(name)) : this.#import(path, name);
  }

  #structName(model: string) {
    const path = modulePathOf(model);
    const owner = this.#context.modules.find((each) => each.path === path);
    const type = owner?.types.find(({ facts }) => facts.model === model);
    if (owner === undefined || type === undefined)
      throw new Error(`print ${this.#module.path}: no module has ${model}`);
    const isKind = type.role.is === "kind";
    return { name: type.facts.goStruct, embedded: type.embedded, path: owner.path, isKind };
  }

  #import(path: string, name: string): string {
    if (path === this.#module.path) return name;
    const names = this.#names.imports.get(path) ?? new Set();
    this.#names.imports.set(path, names.add(name));
    return name;
  }
}

/** Whether a server keeps objects of the kind: their metadata is complete when they are read. */
const isStored = (role: ModelType["role"]): boolean =>
  role.is === "kind" && role.facts.verbs.includes("get");

function apiVersionOf(module: TypeModule, role: ModelType["role"]): string {
  return role.is === "object" || role.is === "list" ? role.apiVersion : module.apiVersion;
}

const identity = (apiVersion: string, kind: string): readonly Field[] => [
  { name: "apiVersion", type: JSON.stringify(apiVersion), required: true },
  { name: "kind", type: JSON.stringify(kind), required: true },
];

/**
 * Go writes null for a time, a list or a map that is unset, unless its tag leaves it out; a time's
 * `omitempty` leaves out nothing.
 */
function isWrittenAsNull({ ref, pointer, omitEmpty, omitZero }: GoField): boolean {
  if (pointer || omitZero) return false;
  if (ref.at === "special") return ref.name === "Time" || ref.name === "MicroTime";
  return !omitEmpty && (ref.at === "list" || ref.at === "map");
}

function printImports({ imports, wireTypes, api, kinds }: Names): readonly string[] {
  const line = (names: Iterable<string>, from: string): string =>
    `import type { ${[...names].toSorted().join(", ")} } from "${from}";`;
  return [
    ...(api.size > 0 ? [line(api, "../../../api/kind.ts")] : []),
    ...(kinds.size > 0 ? [line(kinds, "../../built-in-kind.ts")] : []),
    ...[...imports]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, names]) => line(names, `../../${path}/models.ts`)),
    ...(wireTypes.size > 0 ? [line(wireTypes, "../../wire-types.ts")] : []),
  ];
}

export function printDocs(text: string, link: string): string {
  const see = ` * @see ${link}`;
  return `\n/**\n * ${text}\n${see.length > 100 ? ` * @see\n * ${link}` : see}\n */`;
}

function printInterface(docs: string, head: string, fields: readonly Field[]): string {
  if (fields.length === 0 && !head.includes(" "))
    return `${docs}\nexport type ${head} = Readonly<Record<string, never>>;`;
  const lines = fields.map(
    (field) => `  readonly ${printKey(field.name)}${field.required ? "" : "?"}: ${field.type};`,
  );
  return [docs, `export interface ${head} {`, ...lines, "}"].join("\n");
}

function printEnum(name: string, values: readonly string[]): string {
  const union = values.map((value) => JSON.stringify(value)).join(" | ");
  return `\n/** The values of ${name} that Kubernetes publishes. */\nexport type ${name} = ${union};`;
}

const printKey = (name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);

/** One name must not mean two things in a module. */
function assertDistinct(module: TypeModule, names: Names): void {
  const { imports, wireTypes, api, kinds, enums } = names;
  const own = module.types.flatMap(({ facts, role, embedded }) => [
    facts.goStruct,
    ...(role.is === "kind" ? [manifestName(facts.goStruct)] : []),
    ...(embedded ? [embeddedName(facts.goStruct)] : []),
  ]);
  const imported = [...imports.values()].flatMap((names) => [...names]);
  const all = [...own, ...imported, ...wireTypes, ...api, ...kinds, ...enums.keys()];
  const twice = all.filter((name, i) => all.indexOf(name) !== i);
  if (twice.length > 0)
    throw new Error(`print ${module.path}: these names mean two things: ${twice.join(", ")}`);
}
