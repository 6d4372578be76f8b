// Prints parts of objects as upstream's error messages do: Go's internal structs have no JSON
// names, so that fields carry their Go names and are written whether set or not.
// Upstream: k8s.io/apimachinery/pkg/util/validation/field/errors.go (ErrorBody).
import { encodeJson, isObject, type Json } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";

/** One field of a struct: its Go name, its JSON name, and how it prints. */
export type StructField = readonly [
  goName: string,
  name: string,
  print: (value: Json | undefined) => string,
];

/** `""` when unset. */
export const goText = (value: Json | undefined): string =>
  encodeJson(typeof value === "string" ? value : "");
/** `0` when unset. */
export const goNumber = (value: Json | undefined): string =>
  String(typeof value === "number" || typeof value === "bigint" ? value : 0);
/** `false` when unset. */
export const goFlag = (value: Json | undefined): string => String(value === true);
/** A pointer, list or map of what has JSON names: `null` when unset. */
export const goPointer = (value: Json | undefined): string =>
  value === undefined || value === null ? "null" : encodeJson(value);
/** A list of structs: `null` when unset. */
export const goList =
  (print: (value: Json | undefined) => string) =>
  (value: Json | undefined): string =>
    Array.isArray(value) ? `[${value.map(print).join(",")}]` : "null";
/** A pointer to a struct. */
export const goStructPointer =
  (fields: readonly StructField[]) =>
  (value: Json | undefined): string =>
    isObject(value) ? formatStruct(value, fields) : "null";

/** `{"APIGroup":"","Kind":"Role","Name":"a"}`. */
export function formatStruct(value: Json | undefined, fields: readonly StructField[]): string {
  const object = isObject(value) ? value : {};
  return `{${fields.map(([goName, name, print]) => `${JSON.stringify(goName)}:${print(object[name])}`).join(",")}}`;
}

/** `Invalid value: {"Kind":…}: detail`, for a value that has been printed already. */
export const invalidPrinted = (field: string, printed: string, detail: string): FieldError => ({
  type: "FieldValueInvalid",
  field,
  body: `Invalid value: ${printed}: ${detail}`,
});
