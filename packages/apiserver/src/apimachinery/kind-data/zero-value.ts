// The zero values of Go types in JSON, and the fields that encoding/json writes although they are
// unset.
// Upstream: Go's encoding/json (isEmptyValue), the MarshalJSON methods of meta/v1, resource and
// intstr.
import { type Json, type JsonObject, setOwn } from "homeostat/api";
import type { GoField, KindData, SpecialName, GoStruct, TypeRef } from "./kind-data.ts";

/** The JSON of a struct with nothing set; {@link writesUnset} tells which members it has. */
export function zeroStruct(data: KindData, { members }: GoStruct): JsonObject {
  const out: JsonObject = {};
  for (const field of members)
    if (writesUnset(field)) setOwn(out, field.name, zeroField(data, field));
  return out;
}

/** The JSON of an unset field, for a member that is written. */
export function zeroField(data: KindData, { ref, pointer }: GoField): Json {
  if (pointer) return null;
  return ref.at === "struct" ? zeroStruct(data, data.type(ref.type)) : zeroValue(ref);
}

/** True if encoding/json writes the field even if it is unset. */
export function writesUnset({ ref, pointer, omitEmpty, omitZero }: GoField): boolean {
  return !omitZero && (!omitEmpty || (!pointer && isStruct(ref)));
}

/** True for a struct in Go, which omitempty never omits. */
export function isStruct(ref: TypeRef): boolean {
  return ref.at === "struct" || (ref.at === "special" && ref.name !== "FieldsV1");
}

/** The JSON of the zero value of a type that is no struct of the kind data; null for nil. */
export function zeroValue(ref: Exclude<TypeRef, { readonly at: "struct" }>): Json {
  switch (ref.at) {
    case "string":
      return "";
    case "bool":
      return false;
    case "int32":
    case "int64":
    case "float64":
      return 0;
    case "special":
      return zeroSpecials[ref.name];
    case "bytes":
    case "list":
    case "map":
      return null;
  }
}

const zeroSpecials: Readonly<Record<SpecialName, Json>> = {
  Time: null,
  MicroTime: null,
  Duration: "0s",
  Quantity: "0",
  IntOrString: 0,
  RawExtension: null,
  FieldsV1: null,
  JSON: null,
  JSONSchemaPropsOrArray: null,
  JSONSchemaPropsOrBool: false,
  JSONSchemaPropsOrStringArray: null,
};
