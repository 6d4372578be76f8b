// The OpenAPI v3 component of a built-in type, rebuilt from the kind data. Descriptions are left
// out.
// Upstream: k8s.io/kubernetes/pkg/generated/openapi as served below /openapi/v3.
import type { Json, JsonObject } from "homeostat/api";
import type {
  GoField,
  KindData,
  Primitive,
  SpecialName,
  GoStruct,
  TypeRef,
} from "../apimachinery/kind-data/kind-data.ts";

const metaPackage = "io.k8s.apimachinery.pkg.apis.meta.v1.";
const definitionsPackage = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

/** Components of the types that are no structs. */
const specialComponents: Readonly<Record<string, JsonObject>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": {
    oneOf: [{ type: "string" }, { type: "number" }],
  },
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
  [`${metaPackage}Time`]: { type: "string", format: "date-time" },
  [`${metaPackage}MicroTime`]: { type: "string", format: "date-time" },
  [`${metaPackage}Duration`]: { type: "string" },
  [`${metaPackage}FieldsV1`]: { type: "object" },
  [`${metaPackage}Patch`]: { type: "object" },
  [`${definitionsPackage}JSON`]: {},
  [`${definitionsPackage}JSONSchemaPropsOrArray`]: {},
  [`${definitionsPackage}JSONSchemaPropsOrBool`]: {},
  [`${definitionsPackage}JSONSchemaPropsOrStringArray`]: {},
};

const specialModels: Readonly<Record<string, string>> = {
  Quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  IntOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  RawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
};

const specialModel = (name: SpecialName): string =>
  specialModels[name] ??
  (name.startsWith("JSON") ? `${definitionsPackage}${name}` : `${metaPackage}${name}`);

/** A reference to a component. */
export const componentRef = (model: string): JsonObject => ({
  $ref: `#/components/schemas/${model}`,
});

/** The component of a model, with the models that it refers to as `$ref`s. */
export function builtinComponent(data: KindData, model: string): JsonObject {
  const special = specialComponents[model];
  return special ?? structComponent(data.type(model));
}

function structComponent(type: GoStruct): JsonObject {
  const required = type.members.filter((field) => field.required).map((field) => field.name);
  return {
    type: "object",
    ...(type.members.length > 0
      ? {
          properties: Object.fromEntries(
            type.members.map((field) => [field.name, propertyOf(field)]),
          ),
        }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(type.structType ? { "x-kubernetes-map-type": type.structType } : {}),
    ...(type.schema as JsonObject | undefined),
  };
}

function propertyOf(field: GoField): JsonObject {
  const bare = schemaOf(field.ref);
  // Upstream wraps a reference only to hang something on it: a description or a default.
  const schema: JsonObject =
    "$ref" in bare && (!field.undocumented || "default" in field) ? { allOf: [bare] } : bare;
  const keywords: JsonObject = {
    ...("default" in field ? { default: field.default as Json } : {}),
    ...(field.enum ? { enum: [...field.enum] } : {}),
    ...(field.listType ? { "x-kubernetes-list-type": field.listType } : {}),
    ...(field.listMapKeys ? { "x-kubernetes-list-map-keys": [...field.listMapKeys] } : {}),
    ...(field.mapType ? { "x-kubernetes-map-type": field.mapType } : {}),
    ...(field.patchStrategy
      ? { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }
      : {}),
    ...(field.patchMergeKey ? { "x-kubernetes-patch-merge-key": field.patchMergeKey } : {}),
  };
  return nested({ ...schema, ...keywords }, (field.schema ?? {}) as JsonObject);
}

function schemaOf(ref: TypeRef): JsonObject {
  switch (ref.at) {
    case "list":
      return { type: "array", items: elementOf(ref.items) };
    case "map":
      return { type: "object", additionalProperties: elementOf(ref.values) };
    case "struct":
      return componentRef(ref.type);
    case "special":
      return componentRef(specialModel(ref.name));
    default:
      return { ...primitives[ref.at].schema };
  }
}

interface PrimitiveComponent {
  readonly schema: JsonObject;
  /** The default of items. */
  readonly zero?: Json;
}

const primitives: Readonly<Record<Primitive, PrimitiveComponent>> = {
  string: { schema: { type: "string" }, zero: "" },
  bool: { schema: { type: "boolean" }, zero: false },
  int32: { schema: { type: "integer", format: "int32" }, zero: 0 },
  int64: { schema: { type: "integer", format: "int64" }, zero: 0 },
  float64: { schema: { type: "number", format: "double" }, zero: 0 },
  bytes: { schema: { type: "string", format: "byte" } },
};

function elementOf(ref: TypeRef): JsonObject {
  if (ref.at === "struct") return { allOf: [componentRef(ref.type)], default: {} };
  const { zero }: Partial<PrimitiveComponent> =
    ref.at in primitives ? primitives[ref.at as Primitive] : {};
  return zero === undefined ? schemaOf(ref) : { ...schemaOf(ref), default: zero };
}

/** Keywords are merged into nested schemas, e.g. `items: {enum: […]}`. */
function nested(schema: JsonObject, keywords: JsonObject): JsonObject {
  const merged: JsonObject = { ...schema };
  for (const [keyword, value] of Object.entries(keywords)) {
    const mine = merged[keyword];
    merged[keyword] =
      mine !== null && typeof mine === "object" && !Array.isArray(mine)
        ? nested(mine, value as JsonObject)
        : value;
  }
  return merged;
}
