// Decodes one line of a kind data file into the types of kind-data.ts. The line forms are the ones
// that tools/kinds writes:
//   ["io.k8s.api.core.v1.ConfigMap","v1.ConfigMap",{…},[["data","Data","map[string]string",2,"map:string","o"],…]]
//   ["group:apps",{"kinds":[…],"types":{"v1/DeploymentList":"io.k8s.api.apps.v1.DeploymentList",…}}]
//   ["columns",["Name must be unique …",…]]
//   ["columns:apps/v1/deployments",[["Name","string","name",0,0],…]]
// Column: name, type, format, priority, index into the descriptions. Field: JSON name, Go name, Go
// type, protobuf number, reference, flags, the rest. Flags: o omitempty, z omitzero, p pointer, r
// required, i inline, d default is the type's zero value, u undocumented.
// Reference: `string`, `@Time` (special), `[]x` list, `[w]x` wrapped list, `map:x`, else a model
// name.

import { expandMembers } from "./expand-members.ts";
import { zeroValue } from "./zero-value.ts";
import type {
  TableColumnDefinition,
  GoField,
  ApiResource,
  Primitive,
  SpecialName,
  GoStruct,
  TypeRef,
} from "./kind-data.ts";

export interface GroupLine {
  readonly kinds: readonly ApiResource[];
  /** `version/kind` to model name. */
  readonly types: ReadonlyMap<string, string>;
}

type FieldExtras = Pick<
  GoField,
  | "listType"
  | "listMapKeys"
  | "mapType"
  | "patchStrategy"
  | "patchMergeKey"
  | "enum"
  | "default"
  | "schema"
>;
type FieldLine = readonly [
  name: string,
  goName: string,
  goType: string,
  number: number,
  ref: string,
  flags: string,
  extras?: FieldExtras,
];
type TypeExtras = Pick<GoStruct, "structType" | "schema">;
type TypeLine = readonly [
  model: string,
  goName: string,
  extras: TypeExtras,
  fields: readonly FieldLine[],
];

const primitives: ReadonlySet<string> = new Set<Primitive>([
  "string",
  "bool",
  "int32",
  "int64",
  "float64",
  "bytes",
]);

const decodeRef = (text: string): TypeRef => {
  if (primitives.has(text)) return { at: text as Primitive };
  if (text.startsWith("@")) return { at: "special", name: text.slice(1) as SpecialName };
  if (text.startsWith("[]")) return { at: "list", items: decodeRef(text.slice(2)) };
  if (text.startsWith("[w]")) return { at: "list", items: decodeRef(text.slice(3)), wrapped: true };
  if (text.startsWith("map:")) return { at: "map", values: decodeRef(text.slice(4)) };
  return { at: "struct", type: text };
};

/** The default of a field with the flag `d`. */
const defaultOf = (ref: TypeRef): unknown => {
  switch (ref.at) {
    case "list":
      return [];
    case "bytes":
    case "map":
    case "special":
    case "struct":
      return {};
    default:
      return zeroValue(ref);
  }
};

const decodeField = ([
  name,
  goName,
  goType,
  number,
  refText,
  flags,
  extras,
]: FieldLine): GoField => {
  const ref = decodeRef(refText);
  return {
    name,
    goName,
    goType,
    number,
    ref,
    omitEmpty: flags.includes("o"),
    omitZero: flags.includes("z"),
    pointer: flags.includes("p"),
    required: flags.includes("r"),
    inline: flags.includes("i"),
    undocumented: flags.includes("u"),
    ...(flags.includes("d") ? { default: defaultOf(ref) } : {}),
    ...extras,
  };
};

/** `resolve` is called only when a member is asked for of a type with embedded structs. */
export const decodeType = (line: string, resolve: (model: string) => GoStruct): GoStruct => {
  const [model, goName, extras, fieldLines] = JSON.parse(line) as TypeLine;
  const fields = fieldLines.map(decodeField);
  let members: readonly GoField[] | undefined;
  let byName: ReadonlyMap<string, GoField> | undefined;
  let byNumber: ReadonlyMap<number, GoField> | undefined;
  return {
    model,
    goName,
    fields,
    ...extras,
    goStruct: goName.slice(goName.indexOf(".") + 1),
    get members() {
      return (members ??= expandMembers(fields, resolve).map(({ field }) => field));
    },
    field(jsonName) {
      return (byName ??= new Map(this.members.map((field) => [field.name, field]))).get(jsonName);
    },
    byNumber: (number) =>
      (byNumber ??= new Map(fields.map((field) => [field.number, field]))).get(number || -1),
  };
};

export const decodeGroup = (line: string): GroupLine => {
  const [, { kinds, types }] = JSON.parse(line) as readonly [
    string,
    { readonly kinds: readonly ApiResource[]; readonly types: Readonly<Record<string, string>> },
  ];
  return { kinds, types: new Map(Object.entries(types)) };
};

type ColumnLine = readonly [
  name: string,
  type: string,
  format: string,
  priority: number,
  description: number,
];

export const decodeDescriptions = (line: string): readonly string[] =>
  (JSON.parse(line) as readonly [string, readonly string[]])[1];

export const decodeColumns = (
  line: string,
  descriptions: readonly string[],
): readonly TableColumnDefinition[] => {
  const [, columns] = JSON.parse(line) as readonly [string, readonly ColumnLine[]];
  return columns.map(([name, type, format, priority, description]) => ({
    name,
    type,
    format,
    description: descriptions[description] ?? "",
    priority,
  }));
};
