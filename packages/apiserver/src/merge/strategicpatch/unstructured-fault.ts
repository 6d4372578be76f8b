// Why unstructured content does not convert to the Go struct of a built-in kind, as after a
// strategic merge patch or an apply. Messages and leniencies differ from those of Go's JSON decoder
// (1.0 is an integer here, and integers wrap around). What types with their own UnmarshalJSON parse
// is left to the decoder, whose messages are the same.
// Upstream: k8s.io/apimachinery/pkg/runtime/converter.go (fromUnstructured).
import { encodeJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type { GoField, SpecialName, TypeRef } from "../../apimachinery/kind-data/kind-data.ts";
import { formatGoType } from "../../apimachinery/values/go-format.ts";
import type { PatchType } from "../../apimachinery/types/patch-meta.ts";

/**
 * The first fault in the order of Go's fields, e.g. `unrecognized type: int32`; undefined when the
 * value converts.
 */
export function unstructuredFault(type: PatchType, value: Json): string | undefined {
  return faultOf(type, type.ref, "", value);
}

function goKindOfValue(value: Json): string {
  if (isObject(value)) return "map";
  return Array.isArray(value) ? "slice" : formatGoType(value);
}

/** `goType` as declared, e.g. `*int32`, `[]v1.Taint`, `map[string]string`. */
function faultOf(at: PatchType, ref: TypeRef, goType: string, value: Json): string | undefined {
  if (value === null) return undefined;
  switch (ref.at) {
    case "special":
      return specialFault(ref.name, value);
    case "struct":
      return isObject(value)
        ? structFault(at, ref.type, value)
        : `cannot restore struct from: ${goKindOfValue(value)}`;
    case "map":
      return isObject(value)
        ? first(Object.values(value), (item) =>
            faultOf(at, ref.values, goType.replace(/^\*?map\[[^\]]*\]/, ""), item),
          )
        : `cannot restore map from ${goKindOfValue(value)}`;
    case "list":
      return Array.isArray(value)
        ? first(value, (item) => faultOf(at, ref.items, goType.replace(/^\*?\[\]/, ""), item))
        : `cannot restore slice from ${goKindOfValue(value)}`;
    case "bytes":
      if (Array.isArray(value)) return first(value, byteFault);
      return typeof value === "string"
        ? undefined
        : `cannot restore slice from ${goKindOfValue(value)}`;
    default:
      return scalarFault(ref.at, goType.replace(/^\*/, ""), value);
  }
}

const structFault = (at: PatchType, model: string, value: JsonObject): string | undefined =>
  first(at.data.type(model).members, (member) => memberFault(at, member, value));

const memberFault = (
  at: PatchType,
  { name, ref, goType }: GoField,
  value: JsonObject,
): string | undefined =>
  Object.hasOwn(value, name) ? faultOf(at, ref, goType, value[name]!) : undefined;

function first<T>(items: readonly T[], fault: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = fault(item);
    if (found) return found;
  }
  return undefined;
}

/**
 * Go could convert an integer to a string, as a rune; its refusal has another message than that of
 * impossible conversions.
 */
function scalarFault(
  kind: "string" | "bool" | "int32" | "int64" | "float64",
  goType: string,
  value: Json,
): string | undefined {
  const is = formatGoType(value);
  if (is === kind || (is === "int64" && kind !== "string" && kind !== "bool")) return undefined;
  if (is === "float64" && (kind === "int32" || kind === "int64"))
    return Number.isInteger(value) ? undefined : `cannot convert float64 to ${goType}`;
  return is === "int64" && kind === "string"
    ? `cannot convert int64 to ${goType}`
    : `unrecognized type: ${kind}`;
}

function byteFault(item: Json): string | undefined {
  const is = formatGoType(item);
  if (is === "int64" || item === null) return undefined;
  if (is !== "float64") return "unrecognized type: uint8";
  return Number.isInteger(item) ? undefined : "cannot convert float64 to uint8";
}

/** The messages of encoding/json, which these types give a value of a wrong type to. */
function specialFault(name: SpecialName, value: Json): string | undefined {
  const wanted = { Time: "string", MicroTime: "string", Duration: "string", IntOrString: "int32" };
  const into = Object.hasOwn(wanted, name) ? wanted[name as keyof typeof wanted] : undefined;
  if (!into || typeof value === "string") return undefined;
  const isNumber = typeof value === "number" || typeof value === "bigint";
  if (isNumber && into === "int32" && isInt32(value)) return undefined;
  const literal = isNumber && into === "int32" ? ` ${encodeJson(value)}` : "";
  return `json: cannot unmarshal ${jsonKindOf(value)}${literal} into Go value of type ${into}`;
}

const isInt32 = (value: number | bigint): boolean => Number(value) === (Number(value) | 0);

function jsonKindOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  if (isObject(value)) return "object";
  return typeof value === "boolean" ? "bool" : "number";
}
