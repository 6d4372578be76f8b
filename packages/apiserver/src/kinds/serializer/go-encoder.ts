// Writes objects of a Go type as Go writes them: fields in the order of the struct, maps by key.
// Equal objects have equal bytes, as with the plain encoder; the order is upstream's.
// Upstream: encoding/json.
import { compareBytewise, encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { KindData, TypeRef } from "../../apimachinery/kind-data/kind-data.ts";
import { encodeUnsorted } from "../../apimachinery/encode-unsorted.ts";
import { createStructPlans, type StructPlans } from "./struct-plans.ts";

/** Encodes objects of one type; members that the type does not know come last. */
export function createGoEncoder(data: KindData, model: string): (object: JsonObject) => string {
  const plans = createStructPlans(data);
  return (object) => encodeStruct(plans, model, object);
}

const schemaModel = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";
const member = (name: string, text: string): string => `${encodeJson(name)}:${text}`;

function encodeStruct(plans: StructPlans, model: string, object: JsonObject): string {
  const { members, byName } = plans.plan(model);
  let left = Object.keys(object).length;
  let text = "";
  for (const { field, jsonKey } of members) {
    if (!left) break;
    const value = object[field.name];
    if (value === undefined || !Object.hasOwn(object, field.name)) continue;
    left--;
    text += `${text ? "," : ""}${jsonKey}${encodeValue(plans, field.ref, value)}`;
  }
  if (!left) return `{${text}}`;
  const others = Object.keys(object).filter(
    (name) => !byName.has(name) && object[name] !== undefined,
  );
  return `{${[...(text ? [text] : []), ...others.sort(compareBytewise).map((name) => member(name, encodeJson(object[name]!)))].join(",")}}`;
}

function encodeValue(plans: StructPlans, ref: TypeRef, value: Json): string {
  if (typeof value !== "object" || value === null) return encodeJson(value);
  switch (ref.at) {
    case "struct":
      return isObject(value) ? encodeStruct(plans, ref.type, value) : encodeJson(value);
    case "list":
      return Array.isArray(value)
        ? `[${value.map((item) => encodeValue(plans, ref.items, item)).join(",")}]`
        : encodeJson(value);
    case "map":
      return isObject(value) && ref.values.at !== "string"
        ? encodeMap(plans, ref.values, value)
        : encodeJson(value);
    case "special":
      if (ref.name === "RawExtension") return encodeUnsorted(value);
      return ref.name.startsWith("JSONSchemaProps")
        ? encodeSchemas(plans, value)
        : encodeJson(value);
    default:
      return encodeJson(value);
  }
}

function encodeMap(plans: StructPlans, values: TypeRef, object: JsonObject): string {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined);
  return `{${keys
    .sort(compareBytewise)
    .map((key) => member(key, encodeValue(plans, values, object[key]!)))
    .join(",")}}`;
}

function encodeSchemas(plans: StructPlans, value: JsonObject | Json[]): string {
  return Array.isArray(value)
    ? `[${value.map((item) => (isObject(item) ? encodeStruct(plans, schemaModel, item) : encodeJson(item))).join(",")}]`
    : encodeStruct(plans, schemaModel, value);
}
