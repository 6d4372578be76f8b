// A total order of JSON values, and how field paths print them.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/value (value.go, list.go, map.go, fields.go).
import { compareBytewise, isObject, type Json, type JsonObject } from "homeostat/api";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { formatGoValue } from "../../apimachinery/values/go-format.ts";

/**
 * Numbers, then strings, booleans, lists, maps, null; numbers by size. Negative, zero or positive.
 */
export function compareValues(a: Json, b: Json): number {
  const byRank = rankOf(a) - rankOf(b);
  if (byRank) return byRank;
  if (typeof a === "string") return compareBytewise(a, b as string);
  if (Array.isArray(a)) return compareLists(a, b as Json[]);
  if (isObject(a)) return compareMaps(a, b as JsonObject);
  if (a! < b!) return -1;
  return a! > b! ? 1 : 0;
}

/** As in `[name="c",containerPort=80]`; only strings are quoted. */
export function formatPathValue(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "string") return quoteGo(value);
  if (Array.isArray(value)) return `[${value.map(formatPathValue).join(",")}]`;
  if (typeof value === "object")
    return Object.keys(value)
      .sort(compareBytewise)
      .map((key) => `${key}=${formatPathValue(value[key]!)}`)
      .join("");
  return formatGoValue(value);
}

function rankOf(value: Json): number {
  switch (typeof value) {
    case "number":
    case "bigint":
      return 0;
    case "string":
      return 1;
    case "boolean":
      return 2;
    default:
      if (value === null) return 5;
      return Array.isArray(value) ? 3 : 4;
  }
}

function compareLists(a: readonly Json[], b: readonly Json[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i]!, b[i]!);
    if (order) return order;
  }
  return a.length - b.length;
}

function compareMaps(a: JsonObject, b: JsonObject): number {
  const left = Object.keys(a).sort(compareBytewise),
    right = Object.keys(b).sort(compareBytewise);
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order =
      compareBytewise(left[i]!, right[i]!) || compareValues(a[left[i]!]!, b[right[i]!]!);
    if (order) return order;
  }
  return left.length - right.length;
}
