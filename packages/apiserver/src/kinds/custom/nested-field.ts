// Typed reads and writes at a dotted path of an unstructured object, with upstream's accessor
// errors.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/helpers.go.
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { formatGoType, formatGoValue } from "../../apimachinery/values/go-format.ts";

/** The value at a path; `fault` when it or an object on the way has the wrong type. */
export type NestedValue<T> =
  | { readonly found: true; readonly value: T }
  | { readonly found: false }
  | { readonly fault: string };

/** `.spec.replicas` as `["spec", "replicas"]`. */
export const splitFieldPath = (path: string): readonly string[] =>
  path.replace(/^\./, "").split(".");

/** An int64; fractions, strings and null are faults. */
export function nestedInt64(
  object: JsonObject,
  fields: readonly string[],
): NestedValue<number | bigint> {
  const nested = nestedField(object, fields);
  if (!("value" in nested)) return nested;
  const { value } = nested;
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
    ? { found: true, value }
    : wrongType(fields, value, "int64");
}

/** A string. */
export function nestedString(object: JsonObject, fields: readonly string[]): NestedValue<string> {
  const nested = nestedField(object, fields);
  if (!("value" in nested)) return nested;
  return typeof nested.value === "string"
    ? { found: true, value: nested.value }
    : wrongType(fields, nested.value, "string");
}

/** Sets a value and creates objects on the way. Returns the fault, if any. */
export function setNestedField(
  object: JsonObject,
  fields: readonly string[],
  value: Json,
): string | undefined {
  let at = object;
  for (const [i, field] of fields.slice(0, -1).entries()) {
    if (!Object.hasOwn(at, field)) at[field] = {};
    const next = at[field];
    if (!isObject(next))
      return `value cannot be set because ${formatFields(fields.slice(0, i + 1))} is not a map[string]interface{}`;
    at = next;
  }
  at[fields.at(-1)!] = value;
  return undefined;
}

function nestedField(object: JsonObject, fields: readonly string[]): NestedValue<Json> {
  let value: Json = object;
  for (const [i, field] of fields.entries()) {
    if (value === null) return { found: false };
    if (!isObject(value)) return wrongType(fields.slice(0, i + 1), value, "map[string]interface{}");
    if (!Object.hasOwn(value, field)) return { found: false };
    value = value[field]!;
  }
  return { found: true, value };
}

const wrongType = (
  fields: readonly string[],
  value: Json,
  wanted: string,
): { readonly fault: string } => ({
  fault: `${formatFields(fields)} accessor error: ${formatGoValue(value)} is of the type ${formatGoType(value)}, expected ${wanted}`,
});

const formatFields = (fields: readonly string[]): string => `.${fields.join(".")}`;
