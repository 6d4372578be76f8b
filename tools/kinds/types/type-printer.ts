// Prints the types of fields, and names of structs, as one module refers to them. Knows nothing of
// declarations (print-models.ts). Pure apart from the names that it gathers.
import type {
  GoField,
  KindData,
  SpecialName,
  TypeRef,
} from "../../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import type { ModelNames } from "./model-names.ts";
import type { Field } from "./print-declaration.ts";
import { embeddedName } from "./print-kind-value.ts";
import { modulePathOf, type TypeModule } from "./type-modules.ts";

export interface PrintContext {
  readonly data: KindData;
  readonly modules: readonly TypeModule[];
  /** `v1.36` */
  readonly minor: string;
  /** First line of every file. */
  readonly head: string;
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

/**
 * Structs that homeostat/api has by hand, in the named file, because it lies below the generated
 * types. A test compares them with the data.
 */
export const structsByHand: ReadonlyMap<string, string> = new Map([
  ["io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference", "kind.ts"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause", "status.ts"],
  ["io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails", "status.ts"],
]);

export class TypePrinter {
  readonly #modules: readonly TypeModule[];
  readonly #path: string;
  readonly #names: ModelNames;

  constructor({ modules }: PrintContext, { path }: TypeModule, names: ModelNames) {
    this.#modules = modules;
    this.#path = path;
    this.#names = names;
  }

  field(field: GoField): Field {
    const type = this.#typeText(field.ref, field);
    const nullable = !field.required && isWrittenAsNull(field);
    return { name: field.name, type: nullable ? `${type} | null` : type, required: field.required };
  }

  /** A type of built-in-kind.ts. */
  kindType(name: string): string {
    return this.#names.import("../../built-in-kind.ts", name);
  }

  /** A type of homeostat/api that kinds are made of. */
  apiType(name: string): string {
    return this.#names.import(apiFile("kind.ts"), name);
  }

  /** A type of wire-types.ts; text that is no name of one stays as it is. */
  wireType(text: string): string {
    return /^[A-Z]\w+$/.test(text) ? this.#names.import("../../wire-types.ts", text) : text;
  }

  /** A struct of another module or of this one. */
  struct(model: string): string {
    const { name, embedded, path } = this.find(model);
    const byHand = structsByHand.get(model);
    if (byHand !== undefined && path === this.#path)
      return this.#names.import(apiFile(byHand), name);
    return this.import(path, embedded ? embeddedName(name) : name);
  }

  /** A type in the models of the module at `path`. */
  import(path: string, name: string): string {
    return path === this.#path ? name : this.#names.import(`../../${path}/models.ts`, name);
  }

  /** The names of a struct in its own module. */
  find(model: string) {
    const path = modulePathOf(model);
    const owner = this.#modules.find((each) => each.path === path);
    const type = owner?.types.find(({ facts }) => facts.model === model);
    if (owner === undefined || type === undefined)
      throw new Error(`print ${this.#path}: no module has ${model}`);
    const isKind = type.role.is === "kind";
    return { name: type.facts.goStruct, embedded: type.embedded, path: owner.path, isKind };
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
        return this.wireType("Bytes");
      case "special":
        return this.wireType(aliases[ref.name]);
      case "struct":
        return this.struct(ref.type);
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
    return values === undefined ? "string" : this.#names.define(/(\w+)$/.exec(goType)![1]!, values);
  }
}

/** A file of homeostat/api, as a module's models import it. */
export const apiFile = (file: string): string => `../../../api/${file}`;

/**
 * Go writes null for a time, a list or a map that is unset, unless its tag leaves it out; a time's
 * `omitempty` leaves out nothing.
 */
function isWrittenAsNull({ ref, pointer, omitEmpty, omitZero }: GoField): boolean {
  if (pointer || omitZero) return false;
  if (ref.at === "special") return ref.name === "Time" || ref.name === "MicroTime";
  return !omitEmpty && (ref.at === "list" || ref.at === "map");
}
