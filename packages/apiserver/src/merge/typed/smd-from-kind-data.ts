// Converts the kind data of a built-in type to a type of structured merge, with the quirks of the
// published schemas that upstream converts: list types fall back to patch strategies, and some Go
// types accept any value.
// Upstream: k8s.io/kube-openapi/pkg/schemaconv (openapi.go, smd.go).
import type { Json } from "homeostat/api";
import type {
  GoField,
  KindData,
  SpecialName,
  TypeRef,
} from "../../apimachinery/kind-data/kind-data.ts";
import {
  deducedType,
  type SmdField,
  type SmdList,
  type SmdMap,
  type SmdType,
  untypedAtomicType,
} from "../../apimachinery/types/smd-type.ts";

/** Returns the type of a model, e.g. `io.k8s.api.core.v1.ConfigMap`; each is created once. */
export function createKindTypes(data: KindData): (model: string) => SmdType {
  const made = new Map<string, SmdType>();
  const typeOfModel = (model: string): SmdType => {
    const known = made.get(model);
    if (known) return known;
    const type = structType(data, model, typeOfModel);
    made.set(model, type);
    return type;
  };
  return typeOfModel;
}

type Lookup = (model: string) => SmdType;

function structType(data: KindData, model: string, lookup: Lookup): SmdType {
  const struct = data.type(model);
  const fields = new Map<string, SmdField>();
  for (const member of struct.members) fields.set(member.name, fieldOf(member, lookup));
  const open =
    fields.size === 0 || struct.schema?.["x-kubernetes-preserve-unknown-fields"] === true;
  return {
    map: {
      relation: struct.structType === "atomic" ? "atomic" : "separable",
      field: (name) => fields.get(name),
      hasFields: fields.size > 0,
      ...(open ? { element: () => deducedType } : {}),
    },
  };
}

function fieldOf(member: GoField, lookup: Lookup): SmdField {
  let type: SmdType | undefined;
  return {
    type: () => (type ??= typeOf(member.ref, member, lookup)),
    ...(member.default === undefined ? {} : { default: member.default as Json }),
  };
}

type FieldRules = Pick<
  GoField,
  "listType" | "listMapKeys" | "mapType" | "patchStrategy" | "patchMergeKey" | "schema"
>;
/** Rules of a field apply to its value, not to items inside. */
const noRules: FieldRules = {};

function typeOf(ref: TypeRef, rules: FieldRules, lookup: Lookup): SmdType {
  switch (ref.at) {
    case "string":
      return {
        scalar:
          rules.schema?.["format"] && rules.schema["format"] !== "byte" ? "untyped" : "string",
      };
    case "bytes":
      return { scalar: "string" };
    case "bool":
      return { scalar: "boolean" };
    case "int32":
    case "int64":
    case "float64":
      return { scalar: "numeric" };
    case "special":
      return specialTypes[ref.name];
    case "struct":
      return overridden(lookup(ref.type), rules);
    case "list":
      return { list: listOf(ref.items, rules, lookup) };
    case "map":
      return { map: mapOf(ref.values, rules, lookup) };
  }
}

const freeForm: SmdType = {
  map: {
    relation: "separable",
    field: () => undefined,
    hasFields: false,
    element: () => deducedType,
  },
};
/** The published schema has no type: any value fits. */
const anything = deducedType;

const specialTypes: Readonly<Record<SpecialName, SmdType>> = {
  Time: { scalar: "untyped" },
  MicroTime: { scalar: "untyped" },
  Duration: { scalar: "string" },
  Quantity: { scalar: "untyped" },
  IntOrString: anything,
  RawExtension: untypedAtomicType,
  FieldsV1: freeForm,
  JSON: anything,
  JSONSchemaPropsOrArray: anything,
  JSONSchemaPropsOrBool: anything,
  JSONSchemaPropsOrStringArray: anything,
};

/**
 * The map type of a field overrides that of its struct.
 */
function overridden(type: SmdType, { mapType }: FieldRules): SmdType {
  if (!mapType || !type.map) return type;
  return { ...type, map: { ...type.map, relation: mapType === "atomic" ? "atomic" : "separable" } };
}

function listOf(items: TypeRef, rules: FieldRules, lookup: Lookup): SmdList {
  let element: SmdType | undefined;
  return { ...listRules(rules), element: () => (element ??= typeOf(items, noRules, lookup)) };
}

function listRules({
  listType,
  listMapKeys,
  patchStrategy,
  patchMergeKey,
}: FieldRules): Pick<SmdList, "relation" | "keys"> {
  if (listType) return { relation: listType, keys: listType === "map" ? (listMapKeys ?? []) : [] };
  if (!patchStrategy?.includes("merge")) return { relation: "atomic", keys: [] };
  return patchMergeKey ? { relation: "map", keys: [patchMergeKey] } : { relation: "set", keys: [] };
}

function mapOf(values: TypeRef, { mapType }: FieldRules, lookup: Lookup): SmdMap {
  let element: SmdType | undefined;
  return {
    relation: mapType === "atomic" ? "atomic" : "separable",
    field: () => undefined,
    hasFields: false,
    element: () => (element ??= typeOf(values, noRules, lookup)),
  };
}
