// Prints values as Go's fmt does with %#v and %s, for merge errors; %v and %T are in go-format.ts.
// Upstream: fmt (print.go), strconv (ftoa.go).
import { compareBytewise, type Json } from "homeostat/api";
import { formatGoNumber, quoteGo } from "../errors/field-error.ts";
import { formatGoType, formatGoValue } from "./go-format.ts";

/** What a letter stands for after a backslash in a literal. */
export const goEscapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
};

const int64Max = 2n ** 63n - 1n;

/** `%#v`, e.g. `map[string]interface {}{"a":1}`; `mapType` is the type of objects. */
export function formatGoSyntax(value: Json, mapType = "map[string]interface {}"): string {
  if (value === null) return "interface {}(nil)";
  if (typeof value === "string") return quoteGo(value);
  if (typeof value === "bigint" && value > int64Max) return `0x${value.toString(16)}`;
  if (typeof value !== "object") return formatGoNumber(value);
  const format = (inner: Json): string => formatGoSyntax(inner, mapType);
  if (Array.isArray(value)) return `[]interface {}{${value.map(format).join(", ")}}`;
  const keys = Object.keys(value).sort(compareBytewise);
  return `${mapType}{${keys.map((key) => `${quoteGo(key)}:${format(value[key]!)}`).join(", ")}}`;
}

/** `%s` of a value that may not be a string, e.g. `%!s(int64=5)`. */
export const formatGoString = (value: Json): string =>
  value === null ? "%!s(<nil>)" : formatGoPart(value);

/** Inside another value, nil is printed plainly. */
function formatGoPart(value: Json): string {
  if (typeof value === "string") return value;
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(formatGoPart).join(" ")}]`;
  if (typeof value === "object") {
    const keys = Object.keys(value).sort(compareBytewise);
    return `map[${keys.map((key) => `${key}:${formatGoPart(value[key]!)}`).join(" ")}]`;
  }
  return `%!s(${formatGoType(value)}=${formatGoValue(value)})`;
}
